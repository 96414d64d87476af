#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""dmarc_host.py ZONE.json RESOLV.CONF PROGRAM ARG...: a program in network
and mount namespaces of its own, where 127.0.0.1 port 53 answers from ZONE.

For programs that know no other way to a DNS server than /etc/resolv.conf.
Run it inside `unshare -n -m`; UNIX sockets work across.
"""

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.dns import Server  # noqa: E402

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP, MS_BIND = 0x8913, 0x8914, 1, 4096


class Keeper:
    """What Server wants of an Env; everything ends with this process."""

    def defer(self, *_):
        pass


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(
            s, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo",
                                                 flags | IFF_UP))


def bind_mount(source, target):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), target.encode(), None, MS_BIND, None):
        raise OSError(ctypes.get_errno(), "mount " + target)


def main():
    loopback_up()
    bind_mount(sys.argv[2], os.path.realpath("/etc/resolv.conf"))
    with open(sys.argv[1]) as f:
        Server(Keeper(), json.load(f), port=53)
    child = subprocess.Popen(sys.argv[3:])
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    sys.exit(child.wait())


main()
