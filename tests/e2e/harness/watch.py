# SPDX-License-Identifier: BSD-2-Clause
"""inotify(7): was a file opened?"""

import ctypes
import os
import struct
import time

IN_OPEN = 0x20


class Opens:
    """Watches paths from now on; opened() is the set of those opened."""

    def __init__(self, env, paths):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_NONBLOCK)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        env.defer(os.close, self.fd)
        self.names = {}
        for path in paths:
            wd = libc.inotify_add_watch(self.fd, path.encode(), IN_OPEN)
            if wd < 0:
                raise OSError(ctypes.get_errno(), "inotify_add_watch", path)
            self.names[wd] = path

    def opened(self):
        """What was opened since the last call."""
        time.sleep(0.05)
        found = set()
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            return found
        while data:
            wd, _, _, n = struct.unpack("iIII", data[:16])
            found.add(self.names[wd])
            data = data[16 + n:]
        return found
