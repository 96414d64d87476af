#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""dkimd before Debian's opendmarc, which reads our Authentication-Results."""

import json
import os
import re
import signal
import socket
import subprocess

from harness import keys, mail, peers, tap
from harness.env import end, wait_until
from harness.site import FOREIGN, Site
from harness.smtp import message

CONF = """\
AuthservID dmarc.example.com
TrustedAuthservIDs mta.example.com
Socket local:%(socket)s
UserID %(user)s
UMask 007
PublicSuffixList %(suffixes)s
IgnoreHosts %(hosts)s
SPFIgnoreResults yes
SPFSelfValidate no
RejectFailures %(reject)s
Syslog no
"""


class Opendmarc:
    """It finds its DNS server by /etc/resolv.conf, port 53, only."""

    name = "opendmarc"

    def __init__(self, env, zone, socket_path, reject="no"):
        program = tap.need_program("opendmarc", "opendmarc")
        tap.need_program("unshare", "util-linux")
        self.socket = socket_path
        self.logfile = env.path("opendmarc.log")
        conf = env.write("opendmarc.conf", CONF % {
            "socket": socket_path, "user": env.user.name, "reject": reject,
            "suffixes": env.write("suffixes", "com\nnet\nexample\n"),
            "hosts": env.write("ignore-hosts", "192.0.2.1\n")})
        here = os.path.dirname(os.path.abspath(__file__))
        with open(self.logfile, "ab") as log:
            self.proc = subprocess.Popen(
                ["unshare", "-n", "-m", "/usr/bin/python3", "-B",
                 os.path.join(here, "harness", "dmarc_host.py"),
                 env.write("dmarc.json", json.dumps(zone)),
                 env.write("resolv.conf", "nameserver 127.0.0.1\n"),
                 program, "-f", "-c", conf], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
        env.defer(end, self.proc, signal.SIGTERM)
        env.daemons.append(self)
        if not wait_until(lambda: self._up() or self.proc.poll() is not None,
                          10) or self.proc.poll() is not None:
            raise AssertionError("opendmarc did not start: " + self.log())

    def _up(self):
        with socket.socket(socket.AF_UNIX) as s:
            try:
                s.connect(self.socket)
                return True
            except OSError:
                return False

    def log(self):
        with open(self.logfile, "rb") as f:
            return f.read().decode("utf-8", "backslashreplace")


def setup(env):
    site = Site(env, {"On-BadSignature": "accept", "On-DNSError": "accept"},
                milters="unix:dkimd/dkimd.sock unix:dmarc/dmarc.sock")
    site.mallory = keys.make(env, "mallory.example", "m", owner=False)
    site.zone.update(keys.zone(site.mallory))
    site.dns.zone.update(site.zone)
    site.dmarc = Opendmarc(env, {
        "_dmarc.example.net": "v=DMARC1; p=reject",
        "_dmarc.example.com": "v=DMARC1; p=none"},
        site.mta.socket_path("dmarc"))
    return site.start()


def dmarc(copy):
    for value in mail.values(copy, "Authentication-Results"):
        if value.startswith("dmarc.example.com"):
            return re.search(r"dmarc=(\w+)", value).group(1)
    return None


def verdicts_agree(t, site):
    """aligned, unaligned, broken, unsigned, unknown key"""
    text = message("x@example.net", "b@dest.example", "dmarc")
    aligned = peers.sign_dkimpy(text, site.theirs)
    other = peers.sign_dkimpy(text, site.mallory)
    forged = ("Authentication-Results: mta.example.com; dkim=pass "
              "header.d=example.net\r\n").encode()
    cases = (
        ("aligned", aligned, "pass", "pass"),
        ("signed by somebody else", other, "pass", "fail"),
        ("both", peers.sign_dkimpy(other, site.theirs), "pass", "pass"),
        ("body changed", aligned.replace(b"Hello", b"Hollo"), "fail", "fail"),
        ("key unknown", aligned.replace(b"s=n;", b"s=nn;"), "permerror",
         "fail"),
        ("unsigned", text, "none", "fail"),
        ("unsigned with a forged result", forged + text, "none", "fail"),
        # dkimpy oversigns From, Mail::DKIM does not
        ("two From, oversigned", b"From: y@example.net\r\n" + aligned,
         "fail", "fail"),
        ("two From", b"From: y@example.net\r\n" + peers.sign_maildkim(
            text, site.theirs), "policy", "fail"),
    )
    for n, (name, message_, dkim, want) in enumerate(cases):
        copy = site.through(message_, "dmarc-%d@dest.example" % n,
                            sender="x@example.net", source=FOREIGN)
        shown = mail.values(copy, "Authentication-Results")
        t.eq(set(mail.verdicts(copy)), {dkim},
             "%s: we say dkim=%s" % (name, dkim), shown)
        t.eq(dmarc(copy), want, "%s: opendmarc says dmarc=%s" % (name, want),
             shown)


tap.run(verdicts_agree, setup=setup)
