# SPDX-License-Identifier: BSD-2-Clause
"""A signer that writes what it is told, well formed or not, and signs that
with a good signature: whoever overlooks the fault says pass."""

import base64
import hashlib

import reference

CRLF = b"\r\n"


class Plan:
    """What a signature field is to be.

    tags: name and raw value, in order; None as the value of bh and b stands
    for what is computed. The other members say what is really signed.
    """

    def __init__(self, key, domain, selector, canon, names):
        self.key = key
        self.domain = domain
        self.selector = selector
        self.header_canon, self.body_canon = canon
        self.names = names
        self.length = None          # of what is hashed
        self.claimed = None         # l=, if another one
        self.field_name = b"DKIM-Signature"
        self.spaces = None          # function giving white space, or None
        self.width = 0              # of folded base64; 0: not folded
        self.end = b""              # behind the last tag
        self.raw = {}               # name of a tag: its whole tag-spec
        self.spoil = None           # function of signature octets
        self.b64 = base64.b64encode
        self.tags = [
            (b"v", b"1"), (b"a", key.kind.encode() + b"-sha256"),
            (b"c", canon[0].encode() + b"/" + canon[1].encode()),
            (b"d", domain), (b"s", selector),
            (b"h", b":".join(names)), (b"bh", None), (b"b", None)]

    def get(self, name):
        return dict(self.tags).get(name)

    def set(self, name, value):
        """Change a tag, or add it in front of bh."""
        for i, (n, _) in enumerate(self.tags):
            if n == name:
                self.tags[i] = (name, value)
                return
        at = [n for n, _ in self.tags].index(b"bh")
        self.tags.insert(at, (name, value))

    def drop(self, name):
        self.tags = [t for t in self.tags if t[0] != name]


class Signature:
    """A signature as it was made, and what is known of it."""

    def __init__(self, names, canon, length, body_hash, signed):
        self.names = names
        self.header_canon, self.body_canon = canon
        self.length = length
        self.body_hash = body_hash
        self.signed = signed        # the header hash
        self.syntax = None          # verdict of the field, if not pass
        self.key = None             # verdict of the key record, if not pass
        self.policy = False         # a pass becomes policy
        self.known = True           # False: no verdict by construction
        self.wrong = False          # another program's, and not right
        self.wrong_body = False     # bh= of it
        self.traits = set()

    def expected(self, fields, body, own, many_from):
        """The verdict of BEHAVIOUR's order of judgement, or None."""
        if not self.known:
            return None
        if self.syntax:
            return self.syntax
        if self.key:
            return self.key
        hashed = reference.body_hash(self.body_canon, body, self.length)
        if hashed is None:
            return "permerror"
        if hashed != self.body_hash:
            return "fail"
        signed = reference.header_hash(self.header_canon, fields, self.names,
                                       own)
        if signed != self.signed:
            return "fail"
        return "policy" if self.policy or many_from else "pass"


def _fold(text, width):
    if not width:
        return text
    return (CRLF + b" ").join(text[i:i + width]
                              for i in range(0, len(text), width))


def _value(plan, body_hash, signature):
    """The field's value; signature None leaves b= empty."""
    out = []
    space = plan.spaces or (lambda: b"")
    for i, (name, value) in enumerate(plan.tags):
        lead = b" " if plan.spaces is None else space()
        if name in plan.raw:
            out.append(plan.raw[name])
            continue
        if value is None and name == b"bh":
            value = _fold(plan.b64(body_hash), plan.width)
        # the same number of draws with and without a signature
        around = space(), space(), space()
        if value is None:
            value = b"" if signature is None else around[1] + _fold(
                plan.b64(signature), plan.width) + around[2]
            out.append(lead + name + around[0] + b"=" + value)
        else:
            out.append(lead + name + around[0] + b"=" + around[1] + value +
                       around[2])
    end = plan.end
    if signature is None and plan.tags[-1] == (b"b", None):
        end = end.lstrip(b" \t\r\n")    # RFC 6376 s3.7: with white space
    return b";".join(out) + end


def sign(plan, fields, body, at=0):
    """Insert the field at index `at`; its Signature."""
    body_hash = reference.body_hash(plan.body_canon, body, plan.length)
    if plan.spaces:
        plan.spaces = _recorded(plan.spaces)
    bare = _value(plan, body_hash, None)
    left = {}
    for field in fields:
        left.setdefault(reference.name_of(field), []).append(field)
    h = hashlib.sha256()
    for name in plan.names:
        stack = left.get(name.lower())
        if stack:
            h.update(reference.canon_field(plan.header_canon, *stack.pop()))
    h.update(reference.canon_field(plan.header_canon, plan.field_name,
                                   bare)[:-2])
    digest = h.digest()
    if plan.spaces:
        plan.spaces.again()
    signature = plan.key.sign(digest)
    if plan.spoil:
        signature = plan.spoil(signature)
    fields.insert(at, [plan.field_name, _value(plan, body_hash, signature)])
    length = plan.length if plan.claimed is None else plan.claimed
    return Signature(plan.names, (plan.header_canon, plan.body_canon),
                     length, body_hash, digest)


class _recorded:
    """White space drawn once and given out twice."""

    def __init__(self, draw):
        self.draw, self.drawn, self.at = draw, [], 0

    def __call__(self):
        if self.at == len(self.drawn):
            self.drawn.append(self.draw())
        self.at += 1
        return self.drawn[self.at - 1]

    def again(self):
        self.at = 0
