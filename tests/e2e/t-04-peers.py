#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""What dkimd signs, others verify; what others sign, dkimd and dkim verify."""

from harness import keys, mail, milter, peers, smtp, tap
from harness.daemon import Filter
from harness.env import run

CANONS = ("simple/simple", "simple/relaxed", "relaxed/simple",
          "relaxed/relaxed")
OURS = "a@example.com"

# A header and body with everything that canonicalization treats.
HARD = (b"Received: from x\r\n\tby y; Mon, 30 Nov 2026 09:00:00 +0000\r\n"
        b"From:\ta@example.com\r\n"
        b"To:  b@dest.example,\r\n\t c@dest.example  \r\n"
        b"Subject:\r\n  folded right \t after the colon \r\n"
        b"SUBject:second of its name\r\n"
        b"Date: Mon, 30 Nov 2026 10:00:00 +0000\r\n"
        b"Message-ID: <1@example.com>\r\n"
        b"X-Empty:\r\n"
        b"\r\n"
        b"text \t with   blanks  \r\n"
        b" \r\n"
        b"\tvertical\x0btab\x0cform feed \xe4\xff\r\n"
        b"a line of " + b"many words " * 80 + b"\r\n"
        b"\r\n"
        b" \t \r\n"
        b"\r\n")
PLAIN = smtp.message(OURS, "b@dest.example", "plain",
                     "Two  blanks \r\n\r\n.dot\r\n\r\n\r\n")
EMPTY = smtp.message(OURS, "b@dest.example", "empty", "")
OPEN = smtp.message(OURS, "b@dest.example", "open", "no line end")


def through(filter_, message, addr="127.0.0.1", chunk=65535, **kw):
    """The message as an MTA would pass it on."""
    with milter.Session(filter_.socket) as s:
        s.connect(addr=addr)
        s.envelope(OURS, **kw)
        s.content(message, chunk)
        answer = s.end()
    if answer.code not in "ac":
        raise AssertionError("the filter answers %r" % (answer,))
    return milter.apply(message, answer.changes)


def _two_keys(env):
    rsa = keys.make(env, "example.com", "r")
    ed = keys.make(env, "example.com", "e", "ed25519")
    env.write("KeyTable", "".join("%s example.com:%s:%s\n" % (
        k.selector, k.selector, k.path) for k in (rsa, ed)))
    env.write("SigningTable", "*@example.com r\n*@example.com e\n")
    return rsa, ed, {"KeyTable": "file:" + env.path("KeyTable"),
                     "SigningTable": "refile:" + env.path("SigningTable"),
                     "MultipleSignatures": "yes"}


def others_verify_ours(t, env):
    """RSA and Ed25519 in all canonicalizations, judged by three programs"""
    rsa, ed, tables = _two_keys(env)
    zone = keys.zone(rsa, ed)
    judge = peers.OpendkimMilter(env, zone)
    ours = Filter(env, dict(tables, Mode="s"))
    for canon in CANONS:
        ours.configure(Canonicalization=canon)
        ours.start()
        for name, text in (("hard", HARD), ("plain", PLAIN),
                           ("empty body", EMPTY), ("open line", OPEN)):
            what = "%s %s: " % (canon, name)
            copy = through(ours, text, chunk=7 if name == "hard" else 65535)
            if name == "open line":
                # an MTA delivers whole lines; the signature counts on it
                copy += b"\r\n"
            t.eq([(s["a"], s["s"], s["c"]) for s in mail.signatures(copy)],
                 [("rsa-sha256", "r", canon), ("ed25519-sha256", "e", canon)],
                 what + "both signatures, in table order")
            t.eq(peers.verify_dkimpy(copy, zone), ["pass", "pass"],
                 what + "dkimpy")
            # 1.20230212 knows no ed25519-sha256 and says so
            t.eq(peers.verify_maildkim(env, copy, zone),
                 ["pass", "invalid"], what + "Mail::DKIM")
            t.eq(judge.verify(copy), ["pass", "pass"],
                 what + "opendkim as a filter")
            if name == "plain":
                t.eq(peers.verify_opendkim(env, copy, zone)[:1], ["pass"],
                     what + "opendkim -t")
        ours.kill()


def others_refuse_changes(t, env):
    """oversigning and the header list hold against additions"""
    rsa, ed, tables = _two_keys(env)
    zone = keys.zone(rsa, ed)
    judge = peers.OpendkimMilter(env, zone)
    ours = Filter(env, dict(tables, Mode="s", OversignHeaders=
                            "From,Subject,X-None,X-Empty")).start()
    copy = through(ours, HARD)
    names = mail.signed_names(mail.signatures(copy)[0])
    t.eq({n: names.count(n) for n in ("from", "subject", "x-none",
                                      "x-empty", "to")},
         {"from": 2, "subject": 3, "x-none": 1, "x-empty": 2, "to": 1},
         "h= has each name once more than there are fields", names)
    for who, got in (("dkimpy", peers.verify_dkimpy(copy, zone)),
                     ("opendkim", judge.verify(copy))):
        t.eq(got, ["pass", "pass"], "control: %s verifies it unchanged" % who)
    for name in ("From: evil@example.com", "Subject: another", "X-None: now",
                 "X-Empty: full"):
        forged = name.encode() + b"\r\n" + copy
        t.ok("pass" not in peers.verify_dkimpy(forged, zone),
             "dkimpy refuses an added %s" % name)
        t.ok("pass" not in peers.verify_maildkim(env, forged, zone),
             "Mail::DKIM refuses an added %s" % name)
        t.ok("pass" not in judge.verify(forged),
             "opendkim refuses an added %s" % name)
    t.eq(peers.verify_dkimpy(b"Received: by z\r\n" + copy, zone),
         ["pass", "pass"], "an added Received does no harm")


def ttl_and_diagnostics(t, env):
    """x= by SignatureTTL, z= by Diagnostics: still good for the others"""
    rsa, ed, tables = _two_keys(env)
    zone = keys.zone(rsa, ed)
    ours = Filter(env, dict(tables, Mode="s", SignatureTTL="86400",
                            Diagnostics="yes")).start()
    copy = through(ours, PLAIN)
    sig = mail.signatures(copy)[0]
    t.eq(int(sig["x"]) - int(sig["t"]), 86400, "x= is t= plus the TTL")
    t.match("From:a@example.com", sig.get("z", "").replace("=20", ""),
            "z= holds the header")
    t.eq(peers.verify_dkimpy(copy, zone), ["pass", "pass"], "dkimpy")
    t.eq(peers.verify_maildkim(env, copy, zone)[0], "pass", "Mail::DKIM")
    t.eq(peers.OpendkimMilter(env, zone).verify(copy), ["pass", "pass"],
         "opendkim")


def _signed_by_others(env, rsa, ed):
    """(who, message, want) for every signer, canonicalization, algorithm"""
    for canon in CANONS:
        for key in (rsa, ed):
            yield ("dkimpy %s %s" % (key.kind, canon),
                   peers.sign_dkimpy(HARD, key, canon), "pass")
            text = peers.OpendkimMilter(env, key=key, canon=canon).sign(HARD)
            # 2.11.0~beta2 makes ed25519 signatures over simple headers that
            # neither it nor dkimpy verifies: ours must agree with them
            wrong = key.kind == "ed25519" and canon.startswith("simple/")
            yield ("opendkim %s %s" % (key.kind, canon), text,
                   "fail" if wrong else "pass")
        yield ("Mail::DKIM rsa " + canon,
               peers.sign_maildkim(HARD, rsa, canon), "pass")


def _dkim_verify(env, message, *how):
    path = env.write("verify.eml", message)
    done = run([env.program("dkim"), "verify", "--tsv"] + list(how) + [path],
               timeout=20)
    rows = [line.split("\t") for line in done.stdout.decode().splitlines()
            if not line.startswith("#")]
    return done.returncode, [row[2] for row in rows], rows


def ours_verifies_others(t, env):
    """signed by dkimpy, Mail::DKIM, opendkim: filter and dkim verify agree"""
    rsa = keys.make(env, "example.com", "r")
    ed = keys.make(env, "example.com", "e", "ed25519")
    zone = keys.zone(rsa, ed)
    dns = env.write("dns.tsv", "".join("%s\t%s\n" % kv
                                       for kv in zone.items()))
    test_keys = env.write("testkeys", "".join("%s %s\n" % kv
                                              for kv in zone.items()))
    ours = Filter(env, {"Mode": "v", "TestPublicKeys": test_keys,
                        "On-BadSignature": "accept"}).start()
    for who, text, want in _signed_by_others(env, rsa, ed):
        bad = text.replace(b"blanks", b"blonks", 1)
        t.eq(peers.verify_dkimpy(text, zone), [want],
             who + ": control: dkimpy says " + want)
        copy = through(ours, text, "198.51.100.1", chunk=11)
        t.eq(mail.verdicts(copy), [want], "%s: the filter says %s" % (
            who, want), mail.values(copy, "Authentication-Results"))
        copy = through(ours, bad, "198.51.100.1")
        t.eq(mail.verdicts(copy), ["fail"],
             who + ": the filter says fail of a changed body")
        for how in (("--dns", dns), ("--testkeys", test_keys)):
            code, got, rows = _dkim_verify(env, text, *how)
            t.eq((code, got), (0 if want == "pass" else 1, [want]),
                 "%s: dkim verify %s says %s" % (who, how[0], want), rows)
        code, got, rows = _dkim_verify(env, bad, "--dns", dns)
        t.eq((code, got), (1, ["fail"]),
             who + ": dkim verify says fail, exit 1", rows)


def several_signers(t, env):
    """a message signed by three programs: one clause each, in order"""
    rsa = keys.make(env, "example.com", "r")
    two = keys.make(env, "list.example", "l")
    ed = keys.make(env, "edge.example", "e", "ed25519")
    zone = keys.zone(rsa, two, ed)
    test_keys = env.write("testkeys", "".join("%s %s\n" % kv
                                              for kv in zone.items()))
    ours = Filter(env, {"Mode": "v", "TestPublicKeys": test_keys,
                        "On-BadSignature": "accept"}).start()
    text = peers.sign_dkimpy(PLAIN, rsa)
    text = peers.sign_maildkim(text, two, "simple/simple")
    text = peers.sign_dkimpy(text, ed, "simple/relaxed")
    copy = through(ours, text, "198.51.100.1")
    got = [(r, p.get("header.d"), p.get("header.s"), p.get("header.a"))
           for r, p, _ in mail.results(copy)]
    t.eq(sorted(got), sorted([
        ("pass", "edge.example", "e", "ed25519-sha256"),
        ("pass", "list.example", "l", "rsa-sha256"),
        ("pass", "example.com", "r", "rsa-sha256")]),
        "a clause a signature, each with its own domain, selector, algorithm")
    broken = text.replace(b"d=list.example", b"d=list2.example")
    copy = through(ours, broken, "198.51.100.1")
    got = {p.get("header.d"): r for r, p, _ in mail.results(copy)}
    t.eq(got.get("list2.example"), "permerror",
         "no key for one of them: that one is permerror")
    t.eq(got.get("example.com"), "pass", "and the author's passes")


def dkim_sign(t, env):
    """dkim sign: all canonicalizations, both kinds of key, three judges"""
    rsa = keys.make(env, "example.com", "r")
    ed = keys.make(env, "example.com", "e", "ed25519")
    zone = keys.zone(rsa, ed)
    judge = peers.OpendkimMilter(env, zone)
    path = env.write("hard.eml", HARD)
    for canon in CANONS:
        done = run([env.program("dkim"), "sign", "-d", "example.com", "-s",
                    "r", "-k", rsa.path, "-d", "example.com", "-s", "e",
                    "-k", ed.path, "-c", canon, "--oversign", "From,Subject",
                    path])
        copy = done.stdout
        t.eq((done.returncode, done.stderr), (0, b""),
             canon + ": exit 0, nothing on stderr")
        t.ok(copy.endswith(HARD), canon + ": the message follows unchanged")
        t.eq(peers.verify_dkimpy(copy, zone), ["pass", "pass"],
             canon + ": dkimpy")
        t.eq(sorted(peers.verify_maildkim(env, copy, zone)),
             ["invalid", "pass"], canon + ": Mail::DKIM")
        t.eq(judge.verify(copy), ["pass", "pass"], canon + ": opendkim")
    done = run([env.program("dkim"), "sign", "-d", "example.com", "-s", "r",
                "-k", rsa.path, "--field", path])
    t.eq(peers.verify_dkimpy(done.stdout + HARD, zone), ["pass"],
         "--field: the field only, and it verifies")


def dkim_try(t, env):
    """dkim try: an MTA of one message"""
    rsa = keys.make(env, "example.com", "r")
    zone = keys.zone(rsa)
    ours = Filter(env, {"Domain": "example.com", "Selector": "r",
                        "KeyFile": rsa.path, "On-NoSignature": "reject",
                        "Nameservers": "127.0.0.1@1"}).start()
    path = env.write("plain.eml", PLAIN)
    program = env.program("dkim")
    for socket in ("unix:" + ours.socket, "local:" + ours.socket):
        done = run([program, "try", "--socket", socket, path])
        t.eq(done.returncode, 0, "%s: exit 0" % socket.split(":")[0],
             done.stderr)
        t.eq(peers.verify_dkimpy(done.stdout, zone), ["pass"],
             "the message as passed on verifies")
    done = run([program, "try", "--socket", ours.socket, "--client",
                "198.51.100.1", "--name", "mx.example.net", path])
    t.eq(done.returncode, 1, "a foreign client, unsigned, is refused: exit 1",
         done)
    t.match(r"550 5\.7\.20", done.stderr, "the reply is on stderr")
    done = run([program, "try", "--socket", ours.socket, "--client",
                "198.51.100.1", "--auth", "joe", path])
    t.eq(peers.verify_dkimpy(done.stdout, zone), ["pass"],
         "--auth: a foreign client with a user's rights")


tap.run(others_verify_ours, others_refuse_changes, ttl_and_diagnostics,
        ours_verifies_others, several_signers, dkim_sign, dkim_try)
