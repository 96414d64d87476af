# SPDX-License-Identifier: BSD-2-Clause
"""What happens to a message between signer and verifier: harmless under
relaxed canonicalization, harmful, or none of both; reference.py knows which.

A mutation takes (rng, fields, body, names) and returns (fields, body); names
are those of h=. It may change the lists it is given.
"""

import re

import reference
import text

CRLF = b"\r\n"
TABLE = {}


def mutation(f):
    TABLE[f.__name__.replace("_", "-")] = f
    return f


def _pick(rng, fields, own=False):
    """Index of a field, one of the signatures only if own."""
    at = [i for i, f in enumerate(fields)
          if own == (reference.name_of(f) == reference.OWN)]
    return rng.choice(at) if at else None


def _edit(rng, octets, pattern, make):
    """Replace one match of the pattern, chosen at random."""
    found = list(re.finditer(pattern, octets, re.S))
    if not found:
        return octets
    m = rng.choice(found)
    return octets[:m.start()] + make(m) + octets[m.end():]


def _in_field(rng, fields, pattern, make, own=False):
    i = _pick(rng, fields, own)
    if i is not None:
        fields[i][1] = _edit(rng, fields[i][1], pattern, make)


@mutation
def field_blanks(rng, fields, body, names):
    _in_field(rng, fields, rb"[ \t]+", lambda m: text.blank(rng))
    return fields, body


@mutation
def field_fold(rng, fields, body, names):
    _in_field(rng, fields, rb"(?<=[^ \t\r\n])[ \t]+(?=[^ \t\r\n])",
              lambda m: CRLF + m.group())
    return fields, body


@mutation
def field_unfold(rng, fields, body, names):
    _in_field(rng, fields, rb"\r\n", lambda m: b"")
    return fields, body


@mutation
def field_end_blanks(rng, fields, body, names):
    i = _pick(rng, fields)
    fields[i][1] += rng.choice([b" ", b"\t", b"  "])
    return fields, body


@mutation
def field_name_case(rng, fields, body, names):
    i = rng.randrange(len(fields))
    fields[i][0] = fields[i][0].swapcase()
    return fields, body


@mutation
def field_name_blank(rng, fields, body, names):
    i = _pick(rng, fields)
    fields[i][0] = fields[i][0].rstrip(b" \t") + rng.choice([b"", b" ", b"\t"])
    return fields, body


@mutation
def field_octet(rng, fields, body, names):
    _in_field(rng, fields, rb"[a-z]", lambda m: bytes([m.group()[0] ^ 1])
              if m.group() not in b"az" else b"q")
    return fields, body


@mutation
def field_control(rng, fields, body, names):
    _in_field(rng, fields, rb"[a-z]", lambda m: m.group() + rng.choice(
        [b"\r", b"\n", b"\x0b", b"\x0c", b"\x80"]))
    return fields, body


@mutation
def field_empty(rng, fields, body, names):
    fields[_pick(rng, fields)][1] = b""
    return fields, body


@mutation
def field_gone(rng, fields, body, names):
    i = _pick(rng, fields)
    del fields[i]
    return fields, body


@mutation
def field_twice(rng, fields, body, names):
    i = _pick(rng, fields)
    fields.insert(rng.randrange(len(fields) + 1), list(fields[i]))
    return fields, body


@mutation
def field_added(rng, fields, body, names):
    name = rng.choice([rng.choice(names), b"Received", b"X-New", b"From",
                       b"Subject", b"Authentication-Results"])
    fields.insert(rng.choice([0, len(fields), rng.randrange(len(fields) + 1)]),
                  [name, b" <new@example.com>"])
    return fields, body


@mutation
def fields_swapped(rng, fields, body, names):
    i = rng.randrange(len(fields) - 1) if len(fields) > 1 else 0
    if len(fields) > 1 and reference.OWN not in (
            reference.name_of(fields[i]), reference.name_of(fields[i + 1])):
        fields[i], fields[i + 1] = fields[i + 1], fields[i]
    return fields, body


@mutation
def own_last(rng, fields, body, names):
    """The signatures stand below all other fields."""
    fields.sort(key=lambda f: reference.name_of(f) == reference.OWN)
    return fields, body


@mutation
def own_refolded(rng, fields, body, names):
    _in_field(rng, fields, rb";[ \t\r\n]*", lambda m: b";\r\n\t", own=True)
    return fields, body


@mutation
def own_b_refolded(rng, fields, body, names):
    """White space inside b= is no part of what is signed."""
    _in_field(rng, fields, rb"(?<=;)[ \t\r\n]*b[ \t\r\n]*=[^;]{30}",
              lambda m: m.group() + b"\r\n  ", own=True)
    return fields, body


@mutation
def own_b_blanks(rng, fields, body, names):
    """So is white space round the value of b=."""
    _in_field(rng, fields, rb"(?<=;)([ \t\r\n]*b[ \t\r\n]*=)[^;]*",
              lambda m: m.group(1) + b" \r\n\t" + m.group()[
                  len(m.group(1)):].strip() + b" ", own=True)
    return fields, body


@mutation
def own_tag_changed(rng, fields, body, names):
    """An unknown tag behind the last one: under the signature."""
    i = _pick(rng, fields, own=True)
    value = fields[i][1].rstrip(b" \t\r\n")
    if value.endswith(b";"):
        value = value[:-1]
    fields[i][1] = value + b"; n%d=1" % rng.randrange(1 << 30)
    return fields, body


@mutation
def body_blanks(rng, fields, body, names):
    return fields, _edit(rng, body, rb"[ \t]+", lambda m: text.blank(rng))


@mutation
def body_line_end_blanks(rng, fields, body, names):
    return fields, _edit(rng, body, rb"\r\n", lambda m: rng.choice(
        [b" ", b"\t", b" \t "]) + CRLF)


@mutation
def body_octet(rng, fields, body, names):
    return fields, _edit(rng, body, rb"[b-y]",
                         lambda m: bytes([m.group()[0] ^ 1]))


@mutation
def body_blank_line(rng, fields, body, names):
    return fields, _edit(rng, body, rb"\r\n", lambda m: CRLF * 2)


@mutation
def body_end_lines(rng, fields, body, names):
    return fields, body + rng.choice([CRLF, CRLF * 2, CRLF * 33, b" \r\n",
                                      b"\t \r\n\r\n", b" ", b"\r", b"\n"])


@mutation
def body_no_end(rng, fields, body, names):
    while body.endswith(CRLF):
        body = body[:-2]
    return fields, body


@mutation
def body_more(rng, fields, body, names):
    return fields, body + rng.choice([b"x", b"-- \r\nlist\r\n", b"\r\n.\r\nx",
                                      b"\r\n\r\n\x0b"])


@mutation
def body_less(rng, fields, body, names):
    return fields, body[:rng.randrange(len(body) + 1)]


@mutation
def body_gone(rng, fields, body, names):
    return fields, b""


@mutation
def body_control(rng, fields, body, names):
    at = rng.randrange(len(body) + 1)
    return fields, body[:at] + rng.choice(
        [b"\r", b"\n", b"\x0b", b"\x0c", b"\xa0", b"\x00"]) + body[at:]


@mutation
def body_stuffed(rng, fields, body, names):
    return fields, _edit(rng, body, rb"\r\n", lambda m: b"\r\n.")


# Of the whole message, behind all others: octets in, octets out

def no_blank_line(message):
    """The header ends with the message."""
    return message.partition(CRLF * 2)[0] + CRLF


def no_last_line_end(message):
    return message.partition(CRLF * 2)[0]


def lf(message):
    return message.replace(CRLF, b"\n")


def mbox(message):
    return b"From joe@example.com Mon Nov 30 10:00:00 2026\r\n" + message


WHOLE = {"no-blank-line": no_blank_line, "no-last-line-end": no_last_line_end,
         "lf": lf, "mbox": mbox}
