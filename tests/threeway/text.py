# SPDX-License-Identifier: BSD-2-Clause
"""Messages without signatures: everything that canonicalization treats, and
sizes round every buffer of the programs that read them."""

CRLF = b"\r\n"

# Round powers of two, the line limits of RFC 5322 s2.1.1, and PIECE, SHORT,
# PACKED of dkim/canon.c
EDGES = sorted({max(0, edge + d) for edge in (
    0, 64, 76, 128, 256, 512, 998, 1000, 1024, 2048, 4096, 8192)
    for d in (-2, -1, 0, 1, 2)})
LARGE = sorted({edge + d for edge in (16384, 32768, 65535, 131072)
                for d in (-2, -1, 0, 1, 2)})

_WORDS = [b"mail", b"is", b"signed", b"a", b"B", b"the", b"of", b".", b"..",
          b"From", b"--", b"=20", b"x" * 40, b"1", b"http://a.example/?q=1;b=2",
          b"dkim=pass", b"b=abc", b";", b":", b"<a@b.example>"]
_HIGH = ["gr\u00fc\u00dfe".encode(), "\u0436".encode(), b"\xe4\xff",
         b"\x80", "\u65e5\u672c".encode()]
_CONTROL = [b"\x0b", b"\x0c", b"\x0bword\x0c", b"\x1b[1m", b"\x7f", b"\x01"]


def blank(rng):
    return rng.choice([b" "] * 8 + [b"\t", b"  ", b" \t", b"\t\t ", b"   ",
                                    b" " * rng.choice(EDGES[:12])])


def words(rng, n, high=0.05, control=0.02):
    out = []
    for i in range(n):
        if i:
            out.append(blank(rng))
        chance = rng.random()
        out.append(rng.choice(_HIGH) if chance < high else
                   rng.choice(_CONTROL) if chance < high + control else
                   rng.choice(_WORDS))
    return b"".join(out)


def fold(rng):
    return rng.choice([b"\r\n ", b"\r\n\t", b"\r\n  ", b" \r\n ", b"\t\r\n\t ",
                       b"\r\n \t"])


def value(rng, text, odd):
    """A field value around the text, in one of the shapes seen in the wild."""
    if not odd:
        return b" " + text.strip(b" \t")
    lead = rng.choice([b" "] * 10 + [b"", b"  ", b"\t", b"\r\n ",
                                     b" \r\n\t"])
    tail = rng.choice([b""] * 12 + [b" ", b"\t", b"  \t"])
    if rng.random() < 0.01:
        tail += b"\r\n "        # obs-FWS: a line of white space alone
    return lead + text + tail


def folded(rng, n):
    parts = [words(rng, rng.randint(1, 6), high=0.03, control=0)
             for _ in range(n)]
    out = parts[0]
    for part in parts[1:]:
        out += fold(rng) + part
    return out


def _name(rng, name, odd):
    """The case of a name is free; white space before the colon is obsolete
    (RFC 5322 s4.5)."""
    name = rng.choice([name] * 5 + [name.lower(), name.upper()])
    return name + rng.choice([b""] * 90 + [b" ", b"\t"] * odd)


def _address(rng):
    user = rng.choice([b"a", b"joe.q", b"\"a b\"", b"x+y"])
    domain = rng.choice([b"example.com", b"sub.example.com", b"b.example"])
    return rng.choice([b"", b"Joe ", b"\"Q, Joe\" "]) + b"<" + user + \
        b"@" + domain + b">"


def fields(rng):
    """Header fields from the top; From is among them, once."""
    out = []
    odd = rng.random() < 0.4
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        out.append([_name(rng, b"Received", odd),
                    value(rng, folded(rng, 2), odd)])
    rest = [[_name(rng, b"From", odd), value(rng, _address(rng), odd)]]
    for name, chance in ((b"To", .9), (b"Cc", .3), (b"Date", .9),
                         (b"Subject", .9), (b"Message-ID", .9),
                         (b"Reply-To", .2), (b"Sender", .2),
                         (b"MIME-Version", .5), (b"Content-Type", .5),
                         (b"List-Unsubscribe", .2), (b"X-Odd!#$%", .1),
                         (b"X-" + b"n" * rng.choice([1, 60, 70]), .1)):
        if rng.random() < chance:
            text = folded(rng, rng.choice([1, 1, 1, 2, 5]))
            rest.append([_name(rng, name, odd), value(rng, text, odd)])
    if rng.random() < 0.15:
        rest.append([b"X-Empty", rng.choice([b"", b" ", b"\t", b"\r\n ",
                                             b"  \r\n\t"])])
    if rng.random() < 0.3:      # fields of one name, some of them equal
        again = rng.choice(rest[1:] or [[b"X-Again", b" 1"]])
        rest.append([again[0], rng.choice([again[1], b" other", b""])])
    if rng.random() < 0.1:
        rest.append([b"X-Long", b" " + long_text(rng, rng.choice(EDGES))])
    if rng.random() < 0.03:
        rest.append([b"X-Large", b" " + folded_to(rng, rng.choice(LARGE[:10]))])
    rng.shuffle(rest)
    return out + rest


def long_text(rng, n):
    return (words(rng, 4, control=0) * (n // 4 + 1))[:n].strip(b" \t")


def folded_to(rng, n):
    """Some n octets on lines of less than 900."""
    line = long_text(rng, 800)
    return (line + b"\r\n ") * (n // 802) + b"end"


def line(rng, odd=True):
    chance = rng.random()
    if chance < 0.12:
        return b""
    if chance < 0.20:
        return blank(rng)
    if chance < 0.24:
        return rng.choice([b".", b"..", b".x", b"From x", b"-", b"\t."])
    text = words(rng, rng.randint(1, 12))
    if rng.random() < 0.25:
        text += blank(rng)
    if rng.random() < 0.1:
        text = blank(rng) + text
    if odd and rng.random() < 0.01:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice([b"\r", b"\n", b"\r\r", b"\n\n"]) + \
            text[at:]
    return text


def _ending(rng):
    return rng.choice([b""] * 4 + [CRLF, CRLF * 2, b" \r\n", b"\t\r\n\r\n",
                                   CRLF * rng.choice(EDGES[:20]), b" ", b"\t "])


def body(rng, odd=True):
    chance = rng.random()
    if chance < 0.04:
        return b""
    if chance < 0.10:
        return rng.choice([CRLF, CRLF * 2, b" \r\n", b"\t", b" ", b"\r\n \r\n",
                           CRLF * 40, b"x", b"x ", b" x"])
    if chance < 0.25:
        return _sized(rng)
    out = CRLF.join(line(rng, odd) for _ in range(rng.randint(1, 15)))
    if rng.random() < 0.9:
        out += CRLF
    return out + _ending(rng)


def _sized(rng):
    """One long line, or many lines, of just that many octets in total; the
    end falls anywhere: on text, white space, CR of a line end."""
    n = rng.choice(EDGES if rng.random() < 0.8 else LARGE)
    if rng.random() < 0.3 and n <= 8200:
        return long_text(rng, n)[:n] + CRLF
    unit = CRLF.join(line(rng, False) for _ in range(6)) + CRLF
    text = (unit * (n // max(1, len(unit)) + 1))[:n]
    if text.endswith(b"\r"):
        text += b"\n"
    return text + rng.choice([b"", b"", b" ", CRLF, b"\t\r\n"])
