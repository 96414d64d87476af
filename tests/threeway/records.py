# SPDX-License-Identifier: BSD-2-Clause
"""Key records (RFC 6376 s3.6.1, RFC 8463 s4), odd ones above all, each with
the verdict that they mean for a signature that is good."""

import base64

PASS, PERM, TEMP, POLICY = "pass", "permerror", "temperror", "policy"


def _b64(octets):
    return base64.b64encode(octets)


def _text(key, before=b"v=DKIM1; ", after=b"", p=None):
    return before + b"k=" + key.kind.encode() + b"; p=" + (
        _b64(key.public()) if p is None else p) + after


def _folded(key, with_):
    p = _b64(key.public())
    return with_.join(p[i:i + 40] for i in range(0, len(p), 40))


# name: (verdict, function of key and the other key, giving TXT values)
BOTH = {
    "plain": (PASS, lambda k, o: [_text(k)]),
    "no-v": (PASS, lambda k, o: [_text(k, b"")]),
    "final-semicolon": (PASS, lambda k, o: [_text(k, after=b";")]),
    "final-semicolon-blank": (PASS, lambda k, o: [_text(k, after=b"; ")]),
    "no-blanks": (PASS, lambda k, o: [_text(k).replace(b" ", b"")]),
    "blanks-round-equals": (PASS, lambda k, o: [
        b" v = DKIM1 ; k = %s ; p = %s " % (k.kind.encode(),
                                            _b64(k.public()))]),
    "tabs": (PASS, lambda k, o: [
        b"v=DKIM1;\tk=%s;\tp=\t%s" % (k.kind.encode(), _b64(k.public()))]),
    "p-first": (PASS, lambda k, o: [
        b"p=%s; k=%s" % (_b64(k.public()), k.kind.encode())]),
    "p-middle": (PASS, lambda k, o: [
        b"v=DKIM1; p=%s; k=%s" % (_b64(k.public()), k.kind.encode())]),
    "p-blanks": (PASS, lambda k, o: [_text(k, p=_folded(k, b" "))]),
    "p-folded": (PASS, lambda k, o: [_text(k, p=_folded(k, b"\r\n "))]),
    "p-tabs": (PASS, lambda k, o: [_text(k, p=_folded(k, b"\t"))]),
    "h-sha256": (PASS, lambda k, o: [_text(k, b"v=DKIM1; h=sha256; ")]),
    "h-both": (PASS, lambda k, o: [_text(k, b"v=DKIM1; h=sha1:sha256; ")]),
    "h-blanks": (PASS, lambda k, o: [
        _text(k, b"v=DKIM1; h= sha1 : sha256 ; ")]),
    "h-unknown-too": (PASS, lambda k, o: [
        _text(k, b"v=DKIM1; h=sha512:sha256; ")]),
    "h-sha1": (PERM, lambda k, o: [_text(k, b"v=DKIM1; h=sha1; ")]),
    "h-unknown": (PERM, lambda k, o: [_text(k, b"v=DKIM1; h=sha512; ")]),
    "h-empty": (PERM, lambda k, o: [_text(k, b"v=DKIM1; h=; ")]),
    "s-star": (PASS, lambda k, o: [_text(k, b"v=DKIM1; s=*; ")]),
    "s-email": (PASS, lambda k, o: [_text(k, b"v=DKIM1; s=email; ")]),
    "s-list": (PASS, lambda k, o: [_text(k, b"v=DKIM1; s=other:email; ")]),
    "s-list-star": (PASS, lambda k, o: [_text(k, b"v=DKIM1; s=x:*; ")]),
    "s-list-blanks": (PASS, lambda k, o: [
        _text(k, b"v=DKIM1; s= other : email ; ")]),
    "s-other": (PERM, lambda k, o: [_text(k, b"v=DKIM1; s=other; ")]),
    "s-tlsrpt": (PERM, lambda k, o: [_text(k, b"v=DKIM1; s=tlsrpt; ")]),
    "s-empty": (PERM, lambda k, o: [_text(k, b"v=DKIM1; s=; ")]),
    "t-y": (PASS, lambda k, o: [_text(k, b"v=DKIM1; t=y; ")]),
    "t-s": (PASS, lambda k, o: [_text(k, b"v=DKIM1; t=s; ")]),
    "t-both": (PASS, lambda k, o: [_text(k, b"v=DKIM1; t=y:s; ")]),
    "t-unknown": (PASS, lambda k, o: [_text(k, b"v=DKIM1; t=x:2; ")]),
    "t-empty": (PASS, lambda k, o: [_text(k, b"v=DKIM1; t=; ")]),
    "n-note": (PASS, lambda k, o: [
        _text(k, b"v=DKIM1; n=made=20here, 2026; ")]),
    "g-star": (PASS, lambda k, o: [_text(k, b"v=DKIM1; g=*; ")]),
    "g-user": (PASS, lambda k, o: [_text(k, b"v=DKIM1; g=user; ")]),
    "g-empty": (PASS, lambda k, o: [_text(k, b"v=DKIM1; g=; ")]),
    "tag-unknown": (PASS, lambda k, o: [_text(k, b"v=DKIM1; y_1=x; ")]),
    "tag-unknown-empty": (PASS, lambda k, o: [_text(k, b"v=DKIM1; y=; ")]),
    "tag-name-case": (PASS, lambda k, o: [_text(k, b"V=DKIM1; ")]),
    "two-with-spf": (PASS, lambda k, o: [b"v=spf1 -all", _text(k)]),
    "two-spf-last": (PASS, lambda k, o: [_text(k), b"v=spf1 -all"]),
    "two-keys": (PASS, lambda k, o: [_text(k), _text(o)]),
    "two-keys-last": (PASS, lambda k, o: [_text(o), _text(k)]),
    "two-equal": (PASS, lambda k, o: [_text(k), _text(k)]),
    "two-revoked": (PASS, lambda k, o: [b"v=DKIM1; p=", _text(k)]),
    "other-key": ("fail", lambda k, o: [_text(o)]),
    "revoked": (PERM, lambda k, o: [b"v=DKIM1; p="]),
    "revoked-blank": (PERM, lambda k, o: [b"v=DKIM1; p= ; t=y"]),
    "no-p": (PERM, lambda k, o: [b"v=DKIM1; k=" + k.kind.encode()]),
    "p-name-case": (PERM, lambda k, o: [_text(k).replace(b"p=", b"P=", 1)]),
    "v-2": (PERM, lambda k, o: [_text(k, b"v=DKIM2; ")]),
    "v-1": (PERM, lambda k, o: [_text(k, b"v=1; ")]),
    "v-case": (PERM, lambda k, o: [_text(k, b"v=dkim1; ")]),
    "v-empty": (PERM, lambda k, o: [_text(k, b"v=; ")]),
    "v-last": (PERM, lambda k, o: [_text(k, b"", b"; v=DKIM1")]),
    "v-last-wrong": (PERM, lambda k, o: [_text(k, b"", b"; v=DKIM2")]),
    "v-twice": (PERM, lambda k, o: [_text(k, b"v=DKIM1; v=DKIM1; ")]),
    "p-twice": (PERM, lambda k, o: [
        _text(k, after=b"; p=" + _b64(o.public()))]),
    "p-twice-first-other": (PERM, lambda k, o: [
        _text(o, after=b"; p=" + _b64(k.public()))]),
    "tag-unknown-twice": (PERM, lambda k, o: [
        _text(k, b"v=DKIM1; y=1; y=2; ")]),
    "k-unknown": (PERM, lambda k, o: [
        b"v=DKIM1; k=dsa; p=" + _b64(k.public())]),
    "k-empty": (PERM, lambda k, o: [
        b"v=DKIM1; k=; p=" + _b64(k.public())]),
    "p-not-base64": (PERM, lambda k, o: [
        _text(k, p=b"?" + _b64(k.public())[1:])]),
    "p-cut": (PERM, lambda k, o: [_text(k, p=_b64(k.public()[:-9]))]),
    "p-behind": (PERM, lambda k, o: [_text(k, p=_b64(k.public() + b"\0\0"))]),
    "empty": (PERM, lambda k, o: [b""]),
    "white": (PERM, lambda k, o: [b" \t "]),
    "words": (PERM, lambda k, o: [b"this is no key record"]),
    "spf": (PERM, lambda k, o: [b"v=spf1 -all"]),
    "quoted": (PERM, lambda k, o: [b'"' + _text(k) + b'"']),
    "backslash": (PERM, lambda k, o: [_text(k).replace(b"; ", b"\\; ")]),
    "first-semicolon": (PERM, lambda k, o: [b";" + _text(k)]),
    "double-semicolon": (PERM, lambda k, o: [
        _text(k).replace(b"; p", b";; p")]),
    "no-equals": (PERM, lambda k, o: [_text(k, b"v=DKIM1; y; ")]),
    "name-digit": (PERM, lambda k, o: [_text(k, b"v=DKIM1; 1y=x; ")]),
    "name-dash": (PERM, lambda k, o: [_text(k, b"v=DKIM1; x-y=x; ")]),
    "control": (PERM, lambda k, o: [_text(k, b"v=DKIM1; n=a\x01b; ")]),
    "n-utf8": (PASS, lambda k, o: [_text(k, b"v=DKIM1; n=\xc3\xa4; ")]),
    "long": (PASS, lambda k, o: [
        _text(k, b"v=DKIM1; n=" + b"x" * 3000 + b"; ")]),
    "seventeen": (PERM, lambda k, o: [_text(k)] + [
        b"v=DKIM1; p=; n=%d" % i for i in range(16)]),
    "absent": (PERM, lambda k, o: []),
    "nodata": (PERM, lambda k, o: [b"!NODATA"]),
    "servfail": (TEMP, lambda k, o: [b"!SERVFAIL"]),
    "timeout": (TEMP, lambda k, o: [b"!TIMEOUT"]),
}

RSA = {
    "no-k": (PASS, lambda k, o: [b"v=DKIM1; p=" + _b64(k.public())]),
    "only-p": (PASS, lambda k, o: [b"p=" + _b64(k.public())]),
    "k-case": (PASS, lambda k, o: [b"v=DKIM1; k=RSA; p=" + _b64(k.public())]),
    "k-name-case": (PASS, lambda k, o: [
        b"v=DKIM1; K=ed25519; p=" + _b64(k.public())]),
    "bare": (PASS, lambda k, o: [_text(k, p=_b64(k.bare()))]),
    "k-ed25519": (PERM, lambda k, o: [
        b"v=DKIM1; k=ed25519; p=" + _b64(k.public())]),
}

ED25519 = {
    "k-case": (PASS, lambda k, o: [
        b"v=DKIM1; k=Ed25519; p=" + _b64(k.public())]),
    "no-k": (PERM, lambda k, o: [b"v=DKIM1; p=" + _b64(k.public())]),
    "k-rsa": (PERM, lambda k, o: [b"v=DKIM1; k=rsa; p=" + _b64(k.public())]),
    "wrapped": (PERM, lambda k, o: [_text(k, p=_b64(k.wrapped()))]),
    "p-unpadded": (PERM, lambda k, o: [
        _text(k, p=_b64(k.public()).rstrip(b"="))]),
    "p-31": (PERM, lambda k, o: [_text(k, p=_b64(k.public()[:31]))]),
    "p-33": (PERM, lambda k, o: [_text(k, p=_b64(k.public() + b"x"))]),
}

# Not what the record says but what they are at: unlike BOTH these stand under
# their own names, with a signature whose i= is in a subdomain
BELOW = {
    "t-s-below": (PERM, lambda k, o: [_text(k, b"v=DKIM1; t=s; ")]),
    "t-s-list-below": (PERM, lambda k, o: [_text(k, b"v=DKIM1; t=y:s; ")]),
    "t-s-blanks-below": (PERM, lambda k, o: [
        _text(k, b"v=DKIM1; t= y : s ; ")]),
    "t-y-below": (PASS, lambda k, o: [_text(k, b"v=DKIM1; t=y; ")]),
}


def forms(key):
    out = dict(BOTH)
    out.update(RSA if key.kind == "rsa" else ED25519)
    return out
