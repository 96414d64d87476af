# SPDX-License-Identifier: BSD-2-Clause
"""Rules of known.tsv: disagreements that are explained."""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ("name", "judge", "ours", "theirs", "condition", "right", "clause")
RIGHT = ("ours", "theirs", "either", "none")


class Rule:
    def __init__(self, row, where):
        if len(row) != len(COLUMNS):
            raise ValueError("%s: %d columns, not %d" % (where, len(row),
                                                         len(COLUMNS)))
        for name, value in zip(COLUMNS, row):
            setattr(self, name, value)
        if self.right not in RIGHT:
            raise ValueError("%s: who is right is one of %s, not '%s'" % (
                where, ", ".join(RIGHT), self.right))
        self.terms = self.condition.split()
        self.count = 0

    def explains(self, judge, ours, theirs, traits):
        return (self.judge == judge and _is(self.ours, ours) and
                _is(self.theirs, theirs) and
                all(_holds(term, traits) for term in self.terms))


def _is(pattern, word):
    return pattern == "*" or word in pattern.split("|")


def _holds(term, traits):
    """`a|b`: one of them; `!a`: not this one; a star stands for the rest."""
    if term.startswith("!"):
        return not _holds(term[1:], traits)
    for word in term.split("|"):
        if word.endswith("*"):
            if any(t.startswith(word[:-1]) for t in traits):
                return True
        elif word in traits:
            return True
    return False


def load(path=os.path.join(HERE, "known.tsv")):
    out = []
    with open(path, encoding="ascii") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                out.append(Rule(re.split("\t+", line),
                                "%s:%d" % (path, number)))
    return out


def find(rules, judge, ours, theirs, traits):
    for rule in rules:
        if rule.explains(judge, ours, theirs, traits):
            return rule
    return None
