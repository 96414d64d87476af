# SPDX-License-Identifier: BSD-2-Clause
"""What a message is like, read off its octets: the words that the conditions
of known.tsv are made of, beside those the generator gives (form:, record:,
change:, whole:, junk:, key:, signer:)."""

import re

import reference

_BARE_CR = re.compile(rb"\r(?!\n)")
_BARE_LF = re.compile(rb"(?<!\r)\n")


def _octets(out, where, octets):
    for name, pattern in (("cr", _BARE_CR), ("lf", _BARE_LF)):
        if pattern.search(octets):
            out.add(where + ":bare-" + name)
    for name, pattern in (("nul", rb"\0"), ("vt", rb"[\x0b\x0c]"),
                          ("control", rb"[\x01-\x08\x0e-\x1f\x7f]"),
                          ("8bit", rb"[\x80-\xff]"),
                          ("space8", rb"\xa0|\x85")):
        if re.search(pattern, octets):
            out.add(where + ":" + name)


def _field(out, name, value):
    if name != name.rstrip(b" \t"):
        out.add("field:name-blank")
    if re.match(rb"[ \t]*\r\n", value):
        out.add("field:folded-first")
    if re.search(rb"\r\n[ \t]+(\r\n|$)", value):
        out.add("field:blank-line")
    if not value.strip():
        out.add("field:empty")
    if value[:1] != b" ":
        out.add("field:no-space")
    if re.match(rb"[ \t]{2}|\t", value):
        out.add("field:spaces")
    if value.rstrip(b" \t") != value:
        out.add("field:end-blank")
    _octets(out, "field", value)


def of_message(case, fields, body):
    """Add to case.traits and to the traits of its signatures."""
    out = case.traits
    for name, value in fields:
        _field(out, name, value)
    senders = sum(reference.name_of(f) == b"from" for f in fields)
    if senders != 1:
        out.add("from:none" if senders == 0 else "from:many")
    _octets(out, "body", body)
    if not body:
        out.add("body:empty")
    elif not body.strip(b"\r\n \t"):
        out.add("body:blank")
    if body and not body.endswith(b"\r\n"):
        out.add("body:open")
        if re.search(rb"[ \t]$", body):
            out.add("body:open-blank")
    if max(map(len, body.split(b"\r\n"))) > 998:
        out.add("body:long-line")
    if max(len(n) + len(v) for n, v in fields) > 998:
        out.add("field:long")
    own = reference.own_fields(fields)
    for at, signature in zip(own, case.signatures):
        mine = signature.traits
        mine |= {"hc:" + signature.header_canon,
                 "bc:" + signature.body_canon}
        _field_own(mine, fields[at])
        if any(signature.names.count(n) > 1 for n in signature.names) or \
                len({n.lower() for n in signature.names}) < len(
                    signature.names):
            mine.add("h:again")
        if any(n.lower() == reference.OWN for n in signature.names):
            mine.add("h:own")
        if signature.length is not None:
            mine.add("l:zero" if signature.length == 0 else "l:")


def _field_own(out, field):
    value = field[1]
    names = set()
    _field(names, *field)
    out |= {"own:" + n.partition(":")[2] for n in names}
    if re.search(rb"(^|;)[ \t\r\n]*b[ \t\r\n]*=[^;]*[ \t\n](;|$)", value):
        out.add("own:b-blank-behind")
    if re.search(rb"(^|;)[ \t\r\n]*b[ \t\r\n]+=", value):
        out.add("own:b-blank-before")
