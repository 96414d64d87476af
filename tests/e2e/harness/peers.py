# SPDX-License-Identifier: BSD-2-Clause
"""Three DKIM programs of other people, in both roles, without DNS.

Messages are octets with CRLF. A zone is a dict of name to TXT text.
Verifiers return one word a signature, from the top: pass, fail, or what
else the program says; [] for an unsigned message.
"""

import base64
import os
import re

from . import mail, milter
from .daemon import Opendkim
from .env import run
from .tap import SkipAll, need_program

_HERE = os.path.dirname(os.path.abspath(__file__))
_SIGNATURE = re.compile(rb"^DKIM-Signature[ \t]*:", re.I | re.M)


def signatures(message):
    head = message.partition(b"\r\n\r\n")[0]
    return len(_SIGNATURE.findall(head))


def _dkimpy():
    try:
        import dkim
        import nacl  # noqa: F401  Ed25519 in dkimpy needs it
    except ImportError as why:
        raise SkipAll("%s (packages python3-dkim, python3-nacl; run by"
                      " /usr/bin/python3)" % why)
    return dkim


def verify_dkimpy(message, zone):
    dkim = _dkimpy()

    def txt(name, timeout=5):
        key = name.decode() if isinstance(name, bytes) else name
        text = zone.get(key.rstrip(".").lower())
        return text.encode() if text is not None else None
    out = []
    for i in range(signatures(message)):
        try:
            good = dkim.DKIM(message).verify(i, dnsfunc=txt)
            out.append("pass" if good else "fail")
        except dkim.DKIMException as why:
            out.append("error: %s" % why)
    return out


def sign_dkimpy(message, key, canon="relaxed/relaxed"):
    dkim = _dkimpy()
    head, body = canon.encode().split(b"/")
    with open(key.path, "rb") as f:
        pem = f.read()
    algorithm = b"rsa-sha256"
    if key.kind == "ed25519":
        algorithm, pem = b"ed25519-sha256", _seed(pem)
    field = dkim.sign(message, key.selector.encode(), key.domain.encode(),
                      pem, canonicalize=(head, body),
                      signature_algorithm=algorithm, linesep=b"\r\n")
    return field + message


def _seed(pem):
    """dkimpy wants the 32 octets of the seed in base64, not PKCS#8."""

    der = base64.b64decode(b"".join(pem.split(b"\n")[1:-2]))
    return base64.b64encode(der[-32:])


def _perl():
    need_program("perl", "perl")
    if run(["perl", "-MMail::DKIM", "-e1"]).returncode != 0:
        raise SkipAll("no Mail::DKIM (package libmail-dkim-perl)")


def verify_maildkim(env, message, zone):
    """This version (1.20230212) says 'invalid' of any ed25519-sha256."""
    _perl()
    path = env.write("maildkim.zone", "".join(
        "%s\t%s\n" % kv for kv in zone.items()))
    done = run(["perl", os.path.join(_HERE, "maildkim.pl"), "verify", path],
               input=message)
    lines = done.stdout.decode().splitlines()
    if done.returncode != 0:
        raise AssertionError("maildkim.pl: " + done.stderr.decode())
    return [line.split("\t")[0] for line in lines if "\t" in line]


def sign_maildkim(message, key, canon="relaxed/relaxed"):
    _perl()
    done = run(["perl", os.path.join(_HERE, "maildkim.pl"), "sign", key.path,
                key.domain, key.selector, canon], input=message)
    if done.returncode != 0:
        raise AssertionError("maildkim.pl: " + done.stderr.decode())
    return done.stdout


def verify_opendkim(env, message, zone):
    """opendkim -t gives one verdict a message: of the signature it chose."""
    program = need_program("opendkim", "opendkim")
    table = env.write("opendkim.zone", "".join(
        "%s %s\n" % kv for kv in zone.items()))
    conf = env.write("opendkim-t.conf", "TestDNSData file:%s\nMode v\n"
                     "Syslog no\nInternalHosts csl:192.0.2.1\n" % table)
    path = env.write("opendkim-t.eml", message)
    done = run([program, "-x", conf, "-vv", "-t", path])
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    words = re.findall(r"verification \(.*?\) (\w+)", text)
    if not words and signatures(message):
        return ["error: " + text.strip()]
    return ["pass" if w == "succeeded" else "fail" for w in words]


class OpendkimMilter:
    """opendkim as a filter: one that verifies, or one that signs with key.

    Unlike opendkim -t it gives a verdict a signature and takes white space
    after a header's colon as it is.
    """

    _count = 0

    def __init__(self, env, zone=None, key=None, canon="relaxed/relaxed"):
        need_program("opendkim", "opendkim")
        OpendkimMilter._count += 1
        name = "peer%d" % OpendkimMilter._count
        options = {"AuthservID": "peer.example", "Canonicalization": canon}
        if key:
            options.update({
                "Mode": "s", "Domain": key.domain, "Selector": key.selector,
                "KeyFile": key.path, "SignatureAlgorithm":
                "ed25519-sha256" if key.kind == "ed25519" else "rsa-sha256"})
        else:
            table = env.write(name + ".zone", "".join(
                "%s %s\n" % kv for kv in zone.items()))
            options.update({"Mode": "v", "InternalHosts": "csl:192.0.2.1",
                            "TestDNSData": "file:" + table,
                            "AlwaysAddARHeader": "yes",
                            "On-Default": "accept"})
        self.filter = Opendkim(env, options, name=name).start()

    def _through(self, message, addr):
        with milter.Session(self.filter.socket) as s:
            s.connect(addr=addr)
            answer = s.message(message)
        if answer.code not in "ac":
            raise AssertionError("opendkim answers %r" % (answer,))
        return milter.apply(message, answer.changes)

    def verify(self, message):
        return [v for v in mail.verdicts(self._through(
            message, "198.51.100.1"), "peer.example") if v != "none"]

    def sign(self, message):
        return self._through(message, "127.0.0.1")
