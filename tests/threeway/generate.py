# SPDX-License-Identifier: BSD-2-Clause
"""Cases: a message, the key records it needs, and for each signature what is
known of it by construction. The same seed and number give the same case."""

import base64
import random
import re

import forms
import junk
import keys
import mutate
import records
import reference
import signer
import text
import traits

DOMAIN = b"example.com"
CANONS = [(h, b) for h in ("simple", "relaxed") for b in ("simple", "relaxed")]
SIGNERS = ("dkim", "dkimpy", "maildkim")


class Case:
    def __init__(self, number):
        self.number = number
        self.name = "m%05d" % number
        self.message = b""
        self.signatures = []        # signer.Signature, from the top
        self.traits = set()
        self.expected = []

    def settle(self):
        """What the generator knows of the finished message."""
        try:
            fields, body = reference.split(self.message)
        except reference.NoMessage:
            self.expected = ["refused"]
            return
        own = reference.own_fields(fields)
        senders = sum(reference.name_of(f) == b"from" for f in fields)
        traits.of_message(self, fields, body)
        self.expected = []
        for at, signature in zip(own, self.signatures):
            verdict = signature.expected(fields, body, at, senders > 1)
            if not senders and signature.known:
                verdict = "permerror"
            self.expected.append(verdict)
        if len(own) != len(self.signatures):
            raise AssertionError("%s has %d signatures, not %d" % (
                self.name, len(own), len(self.signatures)))


class Making:
    """A signature in the making, as the forms see it."""

    def __init__(self, rng, plan, fields, body):
        self.rng, self.plan = rng, plan
        self.fields, self.body = fields, body

    @property
    def size(self):
        """Octets of the canonical body."""
        return len(reference.canon_body(self.plan.body_canon, self.body))

    def canon(self, header, body):
        self.plan.header_canon, self.plan.body_canon = header, body


class Generator:
    def __init__(self, seed, scratch=None):
        self.seed = seed
        self.scratch = scratch
        self.keys = keys.load()
        self.zone = []              # name, value: the key records
        for key in self.keys.values():
            self.publish(key.name.encode(), [keys.record(key)])

    def publish(self, selector, values):
        for value in values:
            self.zone.append((selector + b"._domainkey." + DOMAIN, value))

    def rng(self, number):
        return random.Random("%s/%d" % (self.seed, number))

    def plain(self, number):
        """A message without signatures, for somebody else to sign."""
        rng = self.rng(number)
        return reference.join(text.fields(rng), text.body(rng, odd=False))

    # -- signatures of our own

    def _names(self, rng, fields):
        present = [f[0].rstrip(b" \t") for f in fields]
        names = [n for n in present if rng.random() < 0.8]
        if not any(n.lower() == b"from" for n in names):
            names.append(b"from")
        rng.shuffle(names)
        return names

    def _key(self, rng):
        return self.keys[rng.choice(["rsa1024"] * 4 + ["rsa2048",
                                                       "ed25519"] * 2)]

    def _plan(self, rng, key, fields):
        canon = rng.choice(CANONS)
        return signer.Plan(key, DOMAIN, key.name.encode(), canon,
                           self._names(rng, fields))

    def _sign(self, case, rng, key, fields, body, form, record=None):
        """Sign into fields, at the top or anywhere."""
        plan = self._plan(rng, key, fields)
        making = Making(rng, plan, fields, body)
        labels = set()
        if record:
            plan.selector = b"r%d" % case.number
            plan.set(b"s", plan.selector)
            labels.add("record:" + record)
        if rng.random() < 0.4:
            style = rng.choice(forms.STYLES)
            forms.TABLE[style][1](making)
            labels.add("form:" + style)
        verdict = "pass"
        if form:
            verdict, apply = forms.TABLE[form]
            apply(making)
            labels.add("form:" + form)
        at = 0 if rng.random() < 0.8 else rng.randrange(len(fields) + 1)
        above = sum(reference.name_of(f) == reference.OWN for f in fields[:at])
        signature = signer.sign(plan, fields, body, at)
        if verdict == "policy":
            signature.policy = True
        elif verdict == "fail":
            signature.signed = None
        elif verdict != "pass":
            signature.syntax = verdict
        signature.traits |= labels | {"key:" + key.name,
                                      "signer:own"}
        case.signatures.insert(above, signature)
        return signature

    def _form_case(self, case, rng, form):
        fields, body = text.fields(rng), text.body(rng)
        self._sign(case, rng, self._key(rng), fields, body, form)
        return fields, body

    def _record_case(self, case, rng):
        key = self._key(rng)
        other = self.keys["other-ed25519" if key.kind == "ed25519"
                          else "other1024"]
        table = records.forms(key)
        below = rng.random() < 0.1
        if below:
            table = records.BELOW
        name = rng.choice(sorted(table))
        verdict, make = table[name]
        fields, body = text.fields(rng), text.body(rng)
        signature = self._sign(case, rng, key, fields, body,
                               "i-below" if below else None, name)
        if verdict == "fail":
            signature.signed = None
        elif verdict != "pass":
            signature.key = verdict
        values = make(key, other)
        if verdict != "temperror" and values and values[0][:1] != b"!":
            case.traits.add("strings:1" if max(map(len, values)) < 256
                            else "strings:2")
        self.publish(b"r%d" % case.number, values)
        return fields, body

    def _size_case(self, case, rng):
        """RSA keys under 1024 bits, and the exponent 3."""
        key = self.keys[rng.choice(["rsa512", "rsa1023", "rsa1024e3"])]
        fields, body = text.fields(rng), text.body(rng)
        signature = self._sign(case, rng, key, fields, body, None)
        signature.policy = key.name != "rsa1024e3"
        return fields, body

    def _several_case(self, case, rng):
        """Two or three signatures, junk between them."""
        fields, body = text.fields(rng), text.body(rng)
        for _ in range(rng.choice([1, 2, 3])):
            self._sign(case, rng, self._key(rng), fields, body,
                       rng.choice([None, None, "h-own", "b-bit", "x-past",
                                   "d-one-label", "no-v"]))
        for _ in range(rng.choice([0, 1, 2])):
            name = rng.choice(sorted(junk.FIELDS))
            at = rng.choice([0, len(fields)])
            fields.insert(at, [b"DKIM-Signature", junk.FIELDS[name]])
            signature = signer.Signature([], ("simple", "simple"), None, b"",
                                         b"")
            signature.syntax = "permerror"
            signature.traits = {"junk:" + name, "signer:own"}
            case.signatures.insert(0 if at == 0 else len(case.signatures),
                                   signature)
        case.traits.add("several")
        return fields, body

    # -- the mix

    def _changed(self, case, rng, fields, body):
        """Between signer and verifier."""
        n = rng.choice([0, 1, 1, 1, 2, 3])
        names = next((s.names for s in case.signatures if s.names),
                     [b"From"])
        for _ in range(n):
            name = rng.choice(sorted(mutate.TABLE))
            fields, body = mutate.TABLE[name](rng, fields, body, names)
            case.traits.add("change:" + name)
        return reference.join(fields, body)

    def _whole(self, case, rng):
        if rng.random() < 0.04:
            name = rng.choice(sorted(mutate.WHOLE))
            case.message = mutate.WHOLE[name](case.message)
            case.traits.add("whole:" + name)

    def own(self, number):
        """A case of the signer here: forms, records, sizes, several, or
        nothing but a message that is good or changed."""
        case = Case(number)
        rng = self.rng(number)
        every = sorted(forms.TABLE)
        chance = rng.random()
        if chance < 0.35:
            fields, body = self._form_case(case, rng, every[
                number // 2 % len(every)])
        elif chance < 0.60:
            fields, body = self._record_case(case, rng)
        elif chance < 0.63:
            fields, body = self._size_case(case, rng)
        elif chance < 0.73:
            fields, body = self._several_case(case, rng)
        else:
            fields, body = self._form_case(case, rng, None)
        if rng.random() < (0.15 if chance < 0.73 else 0.8):
            case.message = self._changed(case, rng, fields, body)
        else:
            case.message = reference.join(fields, body)
        self._whole(case, rng)
        case.settle()
        return case

    def taken(self, number, message, who):
        """A case out of a message that another program has signed; what its
        signatures cover is read from the message as it was signed."""
        case = Case(number)
        case.message = message
        fields, body = reference.split(message)
        for at in reference.own_fields(fields):
            case.signatures.append(self.read(fields, body, at, who))
        rng = self.rng(number)
        rng.random()
        if rng.random() < 0.5:
            case.message = self._changed(case, rng, fields, body)
        self._whole(case, rng)
        case.settle()
        return case

    def read(self, fields, body, at, who):
        """A Signature out of a field that another program wrote. Both kinds
        are deterministic: the right one is known, and a wrong one shows."""
        tags = {}
        for spec in re.sub(rb"\s+", b"", fields[at][1]).split(b";"):
            name, _, value = spec.partition(b"=")
            tags[name] = value
        canon = (tags.get(b"c", b"simple").decode() + "/simple").split("/")
        names = tags[b"h"].split(b":")
        length = int(tags[b"l"]) if b"l" in tags else None
        hashed = reference.body_hash(canon[1], body, length)
        signed = reference.header_hash(canon[0], fields, names, at)
        out = signer.Signature(names, canon[:2], length, hashed, signed)
        key = self.keys[tags[b"s"].decode()]
        out.traits = {"signer:" + who, "key:" + key.name}
        if body and not body.endswith(b"\r\n"):
            out.traits.add("signed:open")
            if body[-1:] in b" \t":
                out.traits.add("signed:open-blank")
        out.wrong_body = base64.b64decode(tags[b"bh"]) != hashed
        out.wrong = key.sign(signed) != base64.b64decode(tags[b"b"])
        out.known = not (out.wrong or out.wrong_body)
        return out
