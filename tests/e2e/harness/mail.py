# SPDX-License-Identifier: BSD-2-Clause
"""Looking into messages: fields, signature tags, results."""

import re

from .milter import fields as _fields


def fields(message):
    """(lower-case name, unfolded value) from the top."""
    head = message.partition(b"\r\n\r\n")[0]
    return [(n.decode("latin-1").strip().lower(),
             re.sub(r"\r\n[ \t]+", " ", v.decode("utf-8", "replace")).strip())
            for n, v in _fields(head)]


def values(message, name):
    return [v for n, v in fields(message) if n == name.lower()]


def body(message):
    return message.partition(b"\r\n\r\n")[2]


def tags(value):
    """The tag list of one DKIM-Signature value."""
    out = {}
    for item in value.split(";"):
        name, eq, text = item.partition("=")
        if eq:
            out[name.strip()] = re.sub(r"\s+", "", text)
    return out


def signatures(message):
    """The tag lists of all DKIM-Signature fields, from the top."""
    return [tags(v) for v in values(message, "DKIM-Signature")]


def signed_names(signature):
    return [n.lower() for n in signature["h"].split(":")]


def results(message, authserv_id="mta.example.com"):
    """[(result, {property: value}, whole clause)] of our dkim clauses.

    Comments are cut out first: a result in a comment is none.
    """
    out = []
    for value in values(message, "Authentication-Results"):
        plain = re.sub(r"\([^()]*\)", "", value)
        head, _, rest = plain.partition(";")
        if head.split()[:1] != [authserv_id]:
            continue
        for clause in rest.split(";"):
            m = re.match(r"\s*dkim\s*=\s*(\w+)", clause)
            if m:
                props = dict(re.findall(
                    r"(header\.\w+|reason)=(\"[^\"]*\"|\S+)", clause))
                out.append((m.group(1), {k: v.strip('"') for k, v
                                         in props.items()}, clause.strip()))
    return out


def verdicts(message, authserv_id="mta.example.com"):
    return [r for r, _, _ in results(message, authserv_id)]
