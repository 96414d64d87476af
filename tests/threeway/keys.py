# SPDX-License-Identifier: BSD-2-Clause
"""Private keys and signatures, in Python alone: RSA (RFC 8017 s8.2) and
Ed25519 (RFC 8032 s5.1), so that no library is both signer and judge."""

import base64
import hashlib
import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keys")

_DIGEST_INFO = bytes.fromhex("3031300d060960864801650304020105000420")
_RSA_OID = bytes.fromhex("300d06092a864886f70d0101010500")
_ED_OID = bytes.fromhex("300506032b6570")


def _der(pem):
    lines = pem.strip().splitlines()
    return base64.b64decode("".join(lines[1:-1]))


def _read(octets, at):
    """Tag, content and the place behind of the DER value at `at`."""
    n = octets[at + 1]
    begin = at + 2
    if n & 0x80:
        begin += n & 0x7f
        n = int.from_bytes(octets[at + 2:begin], "big")
    return octets[at], octets[begin:begin + n], begin + n


def der(tag, content):
    n = len(content)
    if n < 128:
        return bytes([tag, n]) + content
    size = n.to_bytes((n.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(size)]) + size + content


def _integer(value):
    return der(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))


class Rsa:
    kind = "rsa"

    def __init__(self, name):
        self.name = name
        self.path = os.path.join(FOLDER, name + ".pem")
        with open(self.path, encoding="ascii") as f:
            _, content, _ = _read(_der(f.read()), 0)
        numbers, at = [], 0
        while at < len(content):
            _, value, at = _read(content, at)
            numbers.append(int.from_bytes(value, "big"))
        (_, self.n, self.e, _, self.p, self.q, self.dp, self.dq,
         self.qi) = numbers
        self.size = (self.n.bit_length() + 7) // 8

    def sign(self, digest):
        tail = b"\0" + _DIGEST_INFO + digest
        text = b"\0\1" + b"\xff" * (self.size - 2 - len(tail)) + tail
        m = int.from_bytes(text, "big")
        a, b = pow(m, self.dp, self.p), pow(m, self.dq, self.q)
        s = b + (a - b) * self.qi % self.p * self.q
        return s.to_bytes(self.size, "big")

    def bare(self):
        """RSAPublicKey (RFC 8017 A.1.1)."""
        return der(0x30, _integer(self.n) + _integer(self.e))

    def public(self):
        """SubjectPublicKeyInfo (RFC 5280 s4.1)."""
        return der(0x30, _RSA_OID + der(3, b"\0" + self.bare()))


_P = 2 ** 255 - 19
_L = 2 ** 252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_BASE_Y = 4 * pow(5, -1, _P) % _P


def _recover_x(y):
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    return _P - x if x & 1 else x


_BASE_X = _recover_x(_BASE_Y)
_BASE = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P)


def _add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % _P
    b = (p[1] + p[0]) * (q[1] + q[0]) % _P
    c = 2 * p[3] * q[3] * _D % _P
    d = 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(k, point):
    out = (0, 1, 1, 0)
    while k:
        if k & 1:
            out = _add(out, point)
        point = _add(point, point)
        k >>= 1
    return out


def _octets(point):
    z = pow(point[2], -1, _P)
    x, y = point[0] * z % _P, point[1] * z % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


class Ed25519:
    kind = "ed25519"

    def __init__(self, name):
        self.name = name
        self.path = os.path.join(FOLDER, name + ".pem")
        with open(self.path, encoding="ascii") as f:
            self.seed = _der(f.read())[-32:]
        h = hashlib.sha512(self.seed).digest()
        a = int.from_bytes(h[:32], "little")
        self.a = a & (1 << 254) - 8 | 1 << 254
        self.prefix = h[32:]
        self.point = _octets(_times(self.a, _BASE))

    def sign(self, digest):
        r = int.from_bytes(hashlib.sha512(self.prefix + digest).digest(),
                           "little") % _L
        head = _octets(_times(r, _BASE))
        k = int.from_bytes(hashlib.sha512(head + self.point + digest)
                           .digest(), "little") % _L
        return head + ((r + k * self.a) % _L).to_bytes(32, "little")

    def public(self):
        """32 octets (RFC 8463 s4.2)."""
        return self.point

    def wrapped(self):
        """SubjectPublicKeyInfo, which is no DKIM form."""
        return der(0x30, _ED_OID + der(3, b"\0" + self.point))


def load():
    """All keys by name."""
    out = {}
    for name in sorted(os.listdir(FOLDER)):
        name, end = os.path.splitext(name)
        if end == ".pem":
            out[name] = (Ed25519 if "ed25519" in name else Rsa)(name)
    return out


def record(key):
    """The plain key record."""
    return b"v=DKIM1; k=" + key.kind.encode() + b"; p=" + base64.b64encode(
        key.public())
