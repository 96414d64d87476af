#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Messages and key records made by a generator, judged by `dkim verify`, by
dkimpy, Mail::DKIM and opendkim -t, and by what the generator knows of them.

  threeway.py [--build DIR] [--messages N] [--seed TEXT] [--first N]
              [--keep DIR] [--report] [--long]

TAP on standard output. A disagreement that no rule of known.tsv explains is a
failed test; its message stays in the folder named (tests/threeway.found in the
build folder). --report prints disagreements by their traits, --long wants each
rule used. doc/INTEROP.md says what the rules mean.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile
import time

import dnsfile
import generate
import judges
import known

HERE = os.path.dirname(os.path.abspath(__file__))
INTEROP = os.path.join(HERE, "..", "..", "doc", "INTEROP.md")
PEERS = (judges.Dkimpy, judges.MailDkim, judges.Opendkim)
SIGNED_BY_OTHERS = 4    # every n-th message


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, good, name, *notes):
        self.count += 1
        self.failed += not good
        print("%sok %d - %s" % ("" if good else "not ", self.count, name))
        if not good:
            for note in notes:
                print("#   " + note)

    def skip(self, name, why):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, name, why))

    def done(self):
        print("1..%d" % self.count)
        return 1 if self.failed or not self.count else 0


class Run:
    def __init__(self, options, folder, tap):
        self.options, self.folder, self.tap = options, folder, tap
        self.ours = judges.Dkim(os.path.join(os.path.abspath(options.build),
                                             "cmd", "dkim"))
        self.peers = {}
        self.missing = []
        for peer in PEERS:
            try:
                self.peers[peer.name] = peer()
            except judges.Missing as why:
                self.missing.append((peer.name, str(why)))
        self.rules = known.load()
        self.generator = generate.Generator(options.seed)
        self.groups = collections.Counter()     # judge, ours, theirs
        self.open = collections.defaultdict(list)

    # -- messages

    def write(self, name, octets):
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(octets)

    def make(self):
        first = self.options.first
        numbers = range(first, first + self.options.messages)
        own = [n for n in numbers if n % SIGNED_BY_OTHERS]
        others = [n for n in numbers if n % SIGNED_BY_OTHERS == 0]
        cases = [self.generator.own(n) for n in own]
        cases += self.signed_by_others(others)
        for case in cases:
            self.write(case.name, case.message)
        zone = os.path.join(self.folder, "dns.tsv")
        dnsfile.save(zone, self.generator.zone)
        if "opendkim" in self.peers:
            self.peers["opendkim"].write_zone(self.folder,
                                              dnsfile.load(zone))
        return cases

    def signed_by_others(self, numbers):
        """Half of them by dkim sign, the rest by the peers."""
        signers = {"dkim": self.ours}
        signers.update((n, p) for n, p in self.peers.items()
                       if hasattr(p, "sign"))
        turn = ["dkim", "dkimpy", "dkim", "maildkim"]
        jobs = collections.defaultdict(list)
        for i, n in enumerate(numbers):
            who = turn[i % len(turn)]
            if who in signers:
                self.write("in%05d" % n, self.generator.plain(n))
                jobs[who].append(self.job(n, who))
        out, errors = [], {}
        for who in sorted(jobs):
            errors[who] = signers[who].sign(self.folder, jobs[who])
            for job in jobs[who]:
                path = os.path.join(self.folder, job[1])
                if not os.path.exists(path):
                    self.groups["signer " + who, "", "refuses"] += 1
                    continue
                number = int(job[1][3:])
                with open(path, "rb") as f:
                    out.append(self.generator.taken(number, f.read(), who))
        return out

    def job(self, number, who):
        rng = self.generator.rng(number)
        rng.random()
        names = ["rsa1024", "rsa2048"]
        if who != "maildkim":
            names.append("ed25519")
        key = self.generator.keys[rng.choice(names)]
        canon = "/".join(rng.choice(generate.CANONS))
        job = ["in%05d" % number, "out%05d" % number, key.path, key.name,
               "example.com", canon]
        if who == "dkim":
            more = []
            if rng.random() < 0.4:
                more += ["--oversign", "From,Subject,To,X-None,Received"]
            if rng.random() < 0.3:
                more += ["--sign-headers", "*,Received,X-Empty,X-Long,Sender,"
                         + ",".join("X-%d" % i for i in range(200))]
            if rng.random() < 0.2:
                more += ["-i", "joe=x;y@sub.example.com"]
            if rng.random() < 0.2:
                more += ["-x", "864000"]
            job.append(more)
        elif who == "dkimpy":
            job.append(rng.choice("01"))
        return job

    # -- verdicts

    def judge(self, cases):
        names = [case.name for case in cases]
        everyone = [self.ours] + list(self.peers.values())
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            waiting = {j.name: pool.submit(j.verify, self.folder, names)
                       for j in everyone}
            return {name: w.result() for name, w in waiting.items()}

    def compare(self, case, verdicts):
        """What is wrong with this case, as lines; none when all is explained
        and all that is known of it is what dkimd says."""
        ours = verdicts["dkimd"].get(case.name, [("missing", "")])
        words = [word for word, _ in ours]
        wrong = self.compare_signers(case)
        expected = case.expected or ["none"]
        for i, want in enumerate(expected):
            got = words[i] if i < len(words) else "missing"
            if want == "refused" and got == want:
                return []
            if want and got != want:
                wrong.append("dkimd says %s (%s) of signature %d, by"
                             " construction it is %s" % (
                                 got, ours[i][1] if i < len(ours) else "",
                                 i + 1, want))
        for name in self.peers:
            theirs = verdicts[name].get(case.name, [("missing", "")])
            wrong += self.compare_one(case, name, ours, theirs)
        return wrong

    def compare_signers(self, case):
        """Other programs' signatures as they came from their hands."""
        out = []
        for signature in case.signatures:
            if not signature.wrong and not signature.wrong_body:
                continue
            what = "body-hash" if signature.wrong_body else "signature"
            who = next(t[7:] for t in signature.traits
                       if t.startswith("signer:"))
            self.groups["signs " + who, "", what] += 1
            rule = known.find(self.rules, "signs", what, who,
                              signature.traits | case.traits)
            if rule:
                rule.count += 1
            else:
                out.append("%s made a wrong %s" % (who, what))
                self.open["signs", what, who].append((
                    case.name, signature.traits | case.traits, ""))
        return out

    def compare_one(self, case, judge, ours, theirs):
        """Per signature; where the peer gave up the message, that counts for
        each of them."""
        if theirs[0][0] in ("refused", "crash", "none", "missing"):
            theirs = [theirs[0]] * len(ours)
        wrong = []
        for i, (mine, why) in enumerate(ours):
            other, reason = theirs[i] if i < len(theirs) else ("missing", "")
            traits = set(case.traits)
            if i < len(case.signatures):
                traits |= case.signatures[i].traits
            same = (mine == "pass") == (other == "pass")
            self.groups[judge, mine, other] += 1
            rule = known.find(self.rules, judge, mine, other, traits)
            if rule:
                rule.count += 1
            elif not same or other == "crash":
                text = "signature %d: dkimd says %s (%s), %s says %s (%s)" % (
                    i + 1, mine, why, judge, other, reason)
                wrong.append(text)
                self.open[judge, mine, other].append((case.name, traits,
                                                      reason))
        return wrong


def keep(case, run, to):
    os.makedirs(to, exist_ok=True)
    shutil.copy(os.path.join(run.folder, case.name), to)
    shutil.copy(os.path.join(run.folder, "dns.tsv"), to)
    return os.path.join(to, case.name)


def report(run):
    """Open disagreements, with the traits that tell them from the rest."""
    for (judge, ours, theirs), found in sorted(run.open.items()):
        print("# %s: dkimd %s, %s: %d" % (judge, ours, theirs, len(found)))
        count = collections.Counter(t for _, traits, _ in found
                                    for t in traits)
        print("#    " + ", ".join("%s %d" % x for x in count.most_common(25)))
        for name, traits, reason in found[:12]:
            print("#    %s %s: %s" % (name, reason[:80], " ".join(
                sorted(t for t in traits if not t.startswith("signer:own")))))


def summary(run):
    for (judge, ours, theirs), n in sorted(run.groups.items()):
        print("# %-9s dkimd %-10s %s %-10s %6d" % (judge, ours, judge,
                                                   theirs, n))
    for rule in run.rules:
        print("# rule %-28s %-9s %6d   right: %s, %s" % (
            rule.name, rule.judge, rule.count, rule.right, rule.clause))


def check_document(run):
    """Each rule has its row in doc/INTEROP.md, and each row its rule."""
    with open(INTEROP, encoding="utf-8") as f:
        told = re.findall(r"^\| `([a-z0-9-]+)` \|", f.read(), re.M)
    names = {rule.name for rule in run.rules}
    run.tap.ok(set(told) == names and len(told) == len(names),
               "doc/INTEROP.md has the rules of known.tsv",
               "only in known.tsv: " + " ".join(sorted(names - set(told))),
               "only in INTEROP.md: " + " ".join(sorted(set(told) - names)))


def check_itself(run, cases, verdicts):
    """A wrong verdict, ours or a peer's, does not go unseen."""
    case = next(c for c in cases if c.expected == ["pass"] and
                not c.traits - {"field:8bit", "body:8bit"} and
                c.signatures[0].traits & {"key:rsa1024", "key:rsa2048"})
    for judge in ["dkimd"] + list(run.peers):
        turned = dict(verdicts)
        turned[judge] = {case.name: [("fail", "turned")]}
        run.tap.ok(run.compare(case, turned),
                   "a wrong verdict of %s is seen" % judge)


def check(run, options):
    cases = run.make()
    began = time.monotonic()
    verdicts = run.judge(cases)
    print("# judged in %.1f s" % (time.monotonic() - began))
    for name, why in run.missing:
        run.tap.skip(name, why)
    for case in sorted(cases, key=lambda c: c.number):
        wrong = run.compare(case, verdicts)
        if wrong:
            wrong.append("message: " + keep(case, run, options.keep))
        run.tap.ok(not wrong, "%s %s" % (case.name, " ".join(
            e or "open" for e in case.expected)), *wrong)
    if options.report:
        report(run)
    summary(run)
    check_itself(run, cases, verdicts)
    check_document(run)
    if options.long and not run.missing:
        unused = [r.name for r in run.rules if not r.count]
        run.tap.ok(not unused, "each rule explains something",
                   "unused: " + " ".join(unused))


def main():
    parser = argparse.ArgumentParser()
    build = os.environ.get("DKIMD_BUILD") or os.environ.get("TESTS_BUILD")
    parser.add_argument("--build", default=build or ".")
    parser.add_argument("--messages", type=int, default=320)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="2026")
    parser.add_argument("--keep")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    options.keep = options.keep or os.path.join(options.build, "tests",
                                                "threeway.found")
    shutil.rmtree(options.keep, ignore_errors=True)
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="dkimd-threeway.") as folder:
        check(Run(options, folder, tap), options)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
