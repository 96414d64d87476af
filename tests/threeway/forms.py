# SPDX-License-Identifier: BSD-2-Clause
"""Forms of a signature field (RFC 6376 s3.2, s3.5, s6.1.1), each with the
verdict that it means where signature, key and message are good."""

import base64

PASS, PERM, POLICY = "pass", "permerror", "policy"
PAST, LONG_AGO, FUTURE = b"1300000000", b"1200000000", b"4000000000"

# Forms that go with any other one: nothing but layout
STYLES = ("order", "b-first", "b-middle", "spaces", "folds", "folded-base64",
          "end-semicolon", "end-blank", "name-case")

# name: verdict, function of the generator's Making (generate.py)
TABLE = {}


def form(name, verdict=PASS):
    def add(f):
        TABLE[name] = (verdict, f)
        return f
    return add


def _set(name, tag, value, verdict=PASS):
    TABLE[name] = (verdict, lambda g: g.plan.set(tag, value))


def _raw(name, tag, spec, verdict):
    """The whole tag-spec as given, beside the rest."""
    def apply(g):
        g.plan.set(tag, b"")
        g.plan.raw[tag] = spec
    TABLE[name] = (verdict, apply)


# -- order, white space, folding

@form("order")
def _(g):
    g.rng.shuffle(g.plan.tags)


@form("b-first")
def _(g):
    g.plan.tags.sort(key=lambda t: t[0] != b"b")


@form("b-first-no-blank")
def _(g):
    g.plan.tags.sort(key=lambda t: t[0] != b"b")
    g.plan.spaces = lambda: b""


@form("b-middle")
def _(g):
    g.plan.tags.sort(key=lambda t: t[0] == b"b")
    g.plan.tags.insert(3, g.plan.tags.pop())


@form("spaces")
def _(g):
    g.plan.spaces = lambda: g.rng.choice([b"", b"", b" ", b"  ", b"\t",
                                          b" \t "])


@form("folds")
def _(g):
    g.plan.spaces = lambda: g.rng.choice([b"", b"", b" ", b"\r\n ",
                                          b"\r\n\t", b" \r\n  "])
    g.plan.width = g.rng.choice([0, 20, 60])


@form("folded-base64")
def _(g):
    g.plan.width = g.rng.choice([1, 4, 7, 60, 64, 72])


@form("end-semicolon")
def _(g):
    g.plan.end = b";"


@form("end-semicolon-blank")
def _(g):
    g.plan.end = g.rng.choice([b"; ", b";\t", b";\r\n ", b" ;"])


@form("end-blank")
def _(g):
    g.plan.end = g.rng.choice([b" ", b"\t", b"\r\n "])


@form("name-case")
def _(g):
    g.plan.field_name = g.rng.choice([b"dkim-signature", b"DKIM-SIGNATURE",
                                      b"Dkim-Signature"])


@form("name-blank")
def _(g):
    g.plan.field_name = g.rng.choice([b"DKIM-Signature ",
                                      b"DKIM-Signature\t"])


# -- the tag list

_set("tag-unknown", b"foo", b"bar")
_set("tag-unknown-empty", b"foo", b"")
_set("tag-unknown-digits", b"x_9y", b"1")
_set("tag-unknown-equals", b"foo", b"a=b=c")
_set("tag-unknown-utf8", b"foo", "gr\u00fc\u00df".encode())
_set("tag-unknown-inner-fold", b"foo", b"a\r\n b\r\n\tc")
_set("tag-control", b"foo", b"a\x01b", PERM)
_set("tag-delete", b"foo", b"a\x7fb", PERM)
_raw("tag-dash", b"foo", b" x-y=1", PERM)
_raw("tag-digit", b"foo", b" 1x=1", PERM)
_raw("tag-no-equals", b"foo", b" foo", PERM)
_raw("tag-no-name", b"foo", b" =foo", PERM)
_raw("tag-empty", b"foo", b"", PERM)
_raw("tag-blank", b"foo", b"  ", PERM)
_raw("tag-unknown-twice", b"foo", b" foo=1; foo=1", PERM)
_raw("tag-twice-case", b"foo", b" D=other.example; S=x", PASS)
_raw("d-twice-equal", b"d", b" d=example.com; d=example.com", PERM)
_raw("d-twice", b"d", b" d=other.example; d=example.com", PERM)
_raw("c-twice", b"c", b" c=simple/simple; c=relaxed/relaxed", PERM)


@form("first-semicolon", PERM)
def _(g):
    g.plan.tags.insert(0, (b"", b""))
    g.plan.raw[b""] = b""


@form("double-end", PERM)
def _(g):
    g.plan.end = b";;"


@form("b-twice", PERM)
def _(g):
    g.plan.tags.insert(0, (b"B", b""))
    g.plan.raw[b"B"] = b" b=AAAA"


@form("bh-twice", PERM)
def _(g):
    g.plan.tags.insert(0, (b"B", b""))
    g.plan.raw[b"B"] = b" bh=AAAA"


for _name in (b"v", b"a", b"d", b"s", b"h"):
    TABLE["no-" + _name.decode()] = (
        PERM, lambda g, n=_name: g.plan.drop(n))
    _set("empty-" + _name.decode(), _name, b"", PERM)
    TABLE["upper-" + _name.decode()] = (
        PERM, lambda g, n=_name: g.plan.raw.update(
            {n: b" " + n.upper() + b"=" + g.plan.get(n)}))
_set("v-01", b"v", b"01", PERM)
_set("v-1.0", b"v", b"1.0", PERM)
_set("v-0.5", b"v", b"0.5", PERM)
_set("v-2", b"v", b"2", PERM)
_set("v-11", b"v", b"11", PERM)


@form("v-last")
def _(g):
    g.plan.tags.sort(key=lambda t: t[0] == b"v")


# -- a=, c=, q=

@form("a-case")
def _(g):
    g.plan.set(b"a", g.plan.get(b"a").upper())


@form("a-other", PERM)
def _(g):
    g.plan.set(b"a", b"ed25519-sha256" if g.plan.key.kind == "rsa"
               else b"rsa-sha256")


_set("a-sha512", b"a", b"rsa-sha512", PERM)
_set("a-sha1", b"a", b"rsa-sha1", PERM)
_set("a-unknown", b"a", b"rot13", PERM)
_set("a-blank-inside", b"a", b"rsa- sha256", PERM)


def _canon(name, text, canon, verdict=PASS):
    def apply(g):
        g.canon(*canon)
        if text is None:
            g.plan.drop(b"c")
        else:
            g.plan.set(b"c", text)
    TABLE[name] = (verdict, apply)


_canon("c-none", None, ("simple", "simple"))
_canon("c-simple", b"simple", ("simple", "simple"))
_canon("c-relaxed", b"relaxed", ("relaxed", "simple"))
_canon("c-case", b"Relaxed/RELAXED", ("relaxed", "relaxed"))
_canon("c-empty", b"", ("simple", "simple"), PERM)
_canon("c-nowsp", b"nowsp", ("relaxed", "relaxed"), PERM)
_canon("c-body-unknown", b"relaxed/nowsp", ("relaxed", "relaxed"), PERM)
_canon("c-three", b"relaxed/relaxed/x", ("relaxed", "relaxed"), PERM)
_canon("c-slash", b"relaxed/", ("relaxed", "simple"), PERM)
_canon("c-slash-first", b"/relaxed", ("simple", "relaxed"), PERM)
_canon("c-blanks", b"relaxed / relaxed", ("relaxed", "relaxed"), PERM)
_set("q", b"q", b"dns/txt")
_set("q-case", b"q", b"DNS/TXT")
_set("q-more", b"q", b"dns/txt:other")
_set("q-more-first", b"q", b"other/x:dns/txt")
_set("q-blanks", b"q", b" other : dns/txt ")
_set("q-dns", b"q", b"dns", PERM)
_set("q-other", b"q", b"http/txt", PERM)
_set("q-empty", b"q", b"", PERM)

# -- d=, s=, i=


@form("d-case")
def _(g):
    g.plan.set(b"d", g.plan.domain.upper())


@form("s-case")
def _(g):
    g.plan.set(b"s", g.plan.selector.upper())


@form("d-dot", PERM)
def _(g):
    g.plan.set(b"d", g.plan.domain + b".")


@form("d-dots", PERM)
def _(g):
    g.plan.set(b"d", g.plan.domain.replace(b".", b"..", 1))


@form("d-blank", PERM)
def _(g):
    g.plan.set(b"d", g.plan.domain.replace(b".", b". ", 1))


@form("s-dot", PERM)
def _(g):
    g.plan.set(b"s", g.plan.selector + b".")


_set("d-one-label", b"d", b"localhost", PERM)
_set("d-paren", b"d", b"example.com(x)", PERM)
_set("d-at", b"d", b"a@example.com", PERM)
_set("s-at", b"s", b"a@b", PERM)
_set("s-long", b"s", b"x" * 64, PERM)
_set("i", b"i", b"@example.com")
_set("i-local", b"i", b"joe@example.com")
_set("i-below", b"i", b"joe@a.b.example.com")
_set("i-case", b"i", b"@EXAMPLE.com")
_set("i-qp", b"i", b"j=6Fe@example.com")
_set("i-qp-two-at", b"i", b"joe=40other.example@example.com", PERM)
_set("i-quoted", b"i", b"\"joe@x\"@example.com")
_set("i-qp-at", b"i", b"joe=40example.com")
_set("i-qp-domain", b"i", b"joe@=65xample.com")
_set("i-qp-low", b"i", b"j=6fe@example.com", PASS)
_set("i-fold", b"i", b"joe\r\n @example.com")
_set("i-utf8", b"i", "j\u00f6e@example.com".encode())
_set("i-outside", b"i", b"@other.example", PERM)
_set("i-parent", b"i", b"@com", PERM)
_set("i-suffix", b"i", b"@badexample.com", PERM)
_set("i-local-suffix", b"i", b"joe.example.com", PERM)
_set("i-empty", b"i", b"", PERM)
_set("i-no-domain", b"i", b"joe@", PERM)
_set("i-two-at", b"i", b"joe@other.example@example.com", PERM)
_set("i-at-local", b"i", b"joe@example.com@other.example", PERM)
_set("i-qp-bad", b"i", b"j=GGe@example.com", PERM)
_set("i-qp-cut", b"i", b"joe@example.com=4", PERM)


# -- h=

def _h(name, make, verdict=PASS):
    def apply(g):
        text, signed = make(g)
        g.plan.set(b"h", text)
        g.plan.names = signed
    TABLE[name] = (verdict, apply)


def _plain(g, *more):
    names = list(g.plan.names) + list(more)
    return b":".join(names), names


_h("h-case", lambda g: (b":".join(n.upper() for n in g.plan.names),
                        g.plan.names))
_h("h-blanks", lambda g: (b" : ".join(g.plan.names), g.plan.names))
_h("h-folds", lambda g: (b"\r\n\t:\r\n ".join(g.plan.names), g.plan.names))
_h("h-over", lambda g: _plain(g, *set(g.plan.names)))
_h("h-over-from", lambda g: _plain(g, b"From"))
_h("h-over-twice", lambda g: _plain(g, b"From", b"FROM", b"from"))
_h("h-absent", lambda g: _plain(g, b"X-None", b"Cc", b"Cc", b"x-none"))
_h("h-own", lambda g: _plain(g, b"DKIM-Signature"))
_h("h-all", lambda g: _plain(g, *[
    f[0].rstrip(b" \t") for f in g.fields]))
_h("h-many", lambda g: _plain(g, *[b"X-%d" % i for i in range(120)]))
_h("h-thousand", lambda g: _plain(g, *[b"X-%d" % i for i in range(
    1000 - len(g.plan.names))]))
_h("h-thousand-one", lambda g: _plain(g, *[b"X-%d" % i for i in range(
    1001 - len(g.plan.names))]), PERM)
_h("h-odd-name", lambda g: _plain(g, b"X-Odd!#$%"))
_h("h-only-from", lambda g: (b"from", [b"from"]))
_h("h-no-from", lambda g: (b"To:Subject", [b"To", b"Subject"]), PERM)
_h("h-reply-from", lambda g: (b"Resent-From:To", [b"Resent-From", b"To"]),
   PERM)
_h("h-empty-name", lambda g: (b":".join(g.plan.names) + b"::To",
                              g.plan.names + [b"To"]), PERM)
_h("h-end-colon", lambda g: (b":".join(g.plan.names) + b":",
                             g.plan.names), PERM)
_h("h-first-colon", lambda g: (b":" + b":".join(g.plan.names),
                               g.plan.names), PERM)
_h("h-comma", lambda g: (b"From,To,Subject", [b"From"]), PERM)
_h("h-blank-inside", lambda g: (b"From:Sub ject", [b"From"]), PERM)


# -- l=, t=, x=, z=

def _l(name, make, verdict=PASS, more=False):
    def apply(g):
        n = make(g)
        g.plan.length = n if isinstance(n, int) else g.size
        g.plan.set(b"l", n if isinstance(n, bytes) else b"%d" % n)
        if more:        # whether that is too much depends on the body
            g.plan.claimed = int(n)
    TABLE[name] = (verdict, apply)


_l("l-whole", lambda g: g.size)
_l("l-zero", lambda g: 0)
_l("l-part", lambda g: g.rng.randint(0, g.size))
_l("l-less", lambda g: max(0, g.size - g.rng.choice([1, 2, 3])))
_l("l-zeros", lambda g: b"00%d" % g.size)
_l("l-76-digits", lambda g: b"%076d" % g.size)
_l("l-77-digits", lambda g: b"%077d" % g.size, PERM)
_l("l-more", lambda g: b"%d" % (g.size + 1), more=True)
_l("l-large", lambda g: b"9" * 30, more=True)
_l("l-wraps", lambda g: b"%d" % (2 ** 64 + g.size), more=True)
_l("l-wraps-32", lambda g: b"%d" % (2 ** 32 + g.size),
   more=True)
_l("l-minus", lambda g: b"-1", PERM)
_l("l-plus", lambda g: b"+%d" % g.size, PERM)
_l("l-empty", lambda g: b"", PERM)
_l("l-hex", lambda g: b"0x%x" % g.size, PERM)
_l("l-blank-inside", lambda g: b"%d 0" % g.size, PERM)
_set("t", b"t", PAST)
_set("t-zero", b"t", b"0")
_set("t-future", b"t", FUTURE, POLICY)
_set("t-large", b"t", b"9" * 20, POLICY)
_set("t-word", b"t", b"now", PERM)
_set("t-minus", b"t", b"-1", PERM)
_set("t-empty", b"t", b"", PERM)
_set("t-fraction", b"t", b"1300000000.5", PERM)
_set("x", b"x", FUTURE)
_set("x-large", b"x", b"9" * 20)
_set("x-past", b"x", PAST, PERM)
_set("x-zero", b"x", b"0", PERM)
_set("x-word", b"x", b"never", PERM)
_set("x-empty", b"x", b"", PERM)
_set("z", b"z", b"From:joe=20<joe@example.com>|Subject:a=7Cb=3B|To:x")
_set("z-fold", b"z", b"From:joe=20<joe@example.com>|\r\n Subject:a")
_set("z-empty", b"z", b"")
_set("z-other", b"z", b"Subject:what=20it=20was=20not")


@form("t-x")
def _(g):
    g.plan.set(b"t", PAST)
    g.plan.set(b"x", FUTURE)


@form("t-x-equal", PERM)
def _(g):
    g.plan.set(b"t", PAST)
    g.plan.set(b"x", PAST)


@form("t-x-turned", PERM)
def _(g):
    g.plan.set(b"t", b"4100000000")
    g.plan.set(b"x", FUTURE)


# -- bh=, b=

def _unpadded(octets):
    return base64.b64encode(octets).rstrip(b"=")


def _b64(name, encode, verdict):
    def apply(g):
        g.plan.b64 = encode
    TABLE[name] = (verdict, apply)


_b64("base64-unpadded", _unpadded, PERM)
_b64("base64-more-pads", lambda o: base64.b64encode(o) + b"=", PERM)
_b64("base64-url", lambda o: b"-" + base64.b64encode(o)[1:], PERM)
_b64("base64-dot", lambda o: b"." + base64.b64encode(o), PERM)
_b64("base64-behind", lambda o: base64.b64encode(o) + b"AAAA", PERM)


def _low_bits(octets):
    """The unused bits of the last digit set (RFC 4648 s3.5)."""
    text = base64.b64encode(octets)
    if not text.endswith(b"="):
        return text
    digits = (b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
              b"0123456789+/")
    bare = text.rstrip(b"=")
    last = digits.index(bare[-1:]) | 1
    return bare[:-1] + digits[last:last + 1] + text[len(bare):]


_b64("base64-low-bits", _low_bits, PASS)
_raw("bh-empty", b"bh", b" bh=", PERM)
_raw("bh-short", b"bh", b" bh=AAAA", PERM)
_raw("b-empty", b"b", b" b=", PERM)


@form("no-bh", PERM)
def _(g):
    g.plan.drop(b"bh")


@form("b-bit", "fail")
def _(g):
    at = g.rng.randrange(g.plan.key.size if g.plan.key.kind == "rsa" else 64)
    g.plan.spoil = lambda s: s[:at] + bytes([s[at] ^ 1]) + s[at + 1:]


@form("b-short", "fail")
def _(g):
    g.plan.spoil = lambda s: s[:-1]


@form("b-longer", "fail")
def _(g):
    g.plan.spoil = lambda s: b"\0" + s


@form("b-zeros", "fail")
def _(g):
    g.plan.spoil = lambda s: bytes(len(s))


@form("b-ones", "fail")
def _(g):
    g.plan.spoil = lambda s: b"\xff" * len(s)
