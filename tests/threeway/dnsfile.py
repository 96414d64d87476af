# SPDX-License-Identifier: BSD-2-Clause
"""The format of `dkim verify --dns`: name TAB value, with escapes."""

import re

_PLAIN = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}


def load(path):
    """Values by name in lower case, in the order of the file."""
    zone = {}
    with open(path, "rb") as f:
        for line in f.read().split(b"\n"):
            name, tab, value = line.partition(b"\t")
            if tab:
                zone.setdefault(name.lower(), []).append(re.sub(
                    rb"\\(x..|.)", _unescaped, value))
    return zone


def _unescaped(m):
    code = m.group(1)
    return _PLAIN[code] if code in _PLAIN else bytes([int(code[1:], 16)])


def escape(value):
    out = value.replace(b"\\", b"\\\\")
    return re.sub(rb"[\x00-\x1f\x7f-\xff]",
                  lambda m: b"\\x%02x" % m.group()[0], out)


def save(path, zone):
    with open(path, "wb") as f:
        for name, value in zone:
            f.write(name + b"\t" + escape(value) + b"\n")
