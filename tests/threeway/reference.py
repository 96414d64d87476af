# SPDX-License-Identifier: BSD-2-Clause
"""RFC 6376 s3.4 and s3.7 said once more, in the shortest Python: which octets
a signature covers. Nothing is shared with dkim/; what the generator knows of a
message by construction, it knows from here."""

import hashlib
import re

class NoMessage(Exception):
    """A line of the header is no field."""


CRLF = b"\r\n"
OWN = b"dkim-signature"
_B_VALUE = re.compile(rb"((?:^|;)[ \t\r\n]*b[ \t\r\n]*=)[^;]*")


def split(message):
    """Fields as [name, value] (value without its final CRLF), and the body.

    RFC 5322 s2.1, s2.2.3: a line ends in CRLF; one that begins with white
    space goes on with the field before it.
    """
    at = message.find(b"\n")
    if at > 0 and message[at - 1:at] != b"\r":
        # A file with the line ends of UNIX stands for one with CRLF
        message = re.sub(rb"(?<!\r)\n", CRLF, message)
    if re.match(rb"From [^:\r\n]", message):      # mbox (RFC 4155)
        message = message.partition(CRLF)[2]
    head, blank, body = (b"\r\n" + message).partition(b"\r\n\r\n")
    if not blank:
        head = head[:-2] if head.endswith(CRLF) else head
    fields = []
    for line in head[2:].split(CRLF):
        if line[:1] in (b" ", b"\t"):
            fields[-1][1] += CRLF + line
        else:
            name, colon, value = line.partition(b":")
            if not colon or not re.fullmatch(rb"[!-9;-~]+[ \t]*", name):
                raise NoMessage(line)
            fields.append([name, value])
    return fields, body


def join(fields, body):
    return b"".join(n + b":" + v + CRLF for n, v in fields) + CRLF + body


def name_of(field):
    return field[0].rstrip(b" \t").lower()


def canon_field(how, name, value):
    if how == "simple":
        return name + b":" + value + CRLF
    value = value.replace(CRLF, b"")
    value = re.sub(rb"[ \t]+", b" ", value).strip(b" ")
    return name.rstrip(b" \t").lower() + b":" + value + CRLF


def canon_body(how, body):
    lines = body.split(CRLF)
    if how == "relaxed":
        lines = [re.sub(rb"[ \t]+", b" ", s).rstrip(b" ") for s in lines]
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        return b"" if how == "relaxed" else CRLF
    return CRLF.join(lines) + CRLF


def body_hash(how, body, length=None):
    """Hash of the part that l= covers; None where l= exceeds the body."""
    text = canon_body(how, body)
    if length is not None:
        if length > len(text):
            return None
        text = text[:length]
    return hashlib.sha256(text).digest()


def header_hash(how, fields, names, own):
    """Hash over the fields that names choose, from the bottom up, and over
    the field at index own without the value of its b=."""
    left = {}
    for i, field in enumerate(fields):
        if i != own:
            left.setdefault(name_of(field), []).append(field)
    h = hashlib.sha256()
    for name in names:
        stack = left.get(name.lower())
        if stack:
            h.update(canon_field(how, *stack.pop()))
    name, value = fields[own]
    value = _B_VALUE.sub(lambda m: m.group(1), value, count=1)
    h.update(canon_field(how, name, value)[:-2])
    return h.digest()


def own_fields(fields):
    """Indexes of the signatures, from the top."""
    return [i for i, field in enumerate(fields) if name_of(field) == OWN]
