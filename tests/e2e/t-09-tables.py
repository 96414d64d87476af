#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Who is signed as whom, who is left alone, and what the MTA is told."""

from harness import keys, mail, milter, peers, tap
from harness.daemon import Filter
from harness.dns import SERVFAIL, Server, rcode
from harness.site import FOREIGN, OURS, Site
from harness.smtp import message

OUTSIDE = "198.51.100.1"


class Probe:
    """One message through the filter: who signed, what was answered."""

    def __init__(self, filter_, text, addr="127.0.0.1", daemon="smtpd",
                 rcpts=("b@dest.example",), sender="x@envelope.example",
                 **macros):
        with milter.Session(filter_.socket) as s:
            s.connect(addr=addr, daemon=daemon)
            self.answer = s.message(text, sender=sender, rcpts=rcpts,
                                    **macros)
        self.copy = milter.apply(text, self.answer.changes)
        self.signatures = mail.signatures(self.copy)
        self.by = [(s["d"], s["s"]) for s in self.signatures]
        self.verdicts = mail.verdicts(self.copy)

    @property
    def passed(self):
        return self.answer.code in "ac"

    @property
    def reply(self):
        return self.answer.data.rstrip(b"\0").decode()


def _mail(sender, *extra, **kw):
    return message(sender, "b@dest.example", "probe", extra=extra, **kw)


def _tables(env, key_rows, signing_rows, kind="refile", **options):
    env.write("KeyTable", "".join(r + "\n" for r in key_rows))
    env.write("SigningTable", "".join(r + "\n" for r in signing_rows))
    return Filter(env, dict({
        "KeyTable": "file:" + env.path("KeyTable"),
        "SigningTable": kind + ":" + env.path("SigningTable")}, **options))


def signing_table_patterns(t, env):
    """SigningTable as refile and as file: MIGRATION 2c"""
    key = keys.make(env, "k", "s", bits=1024)
    rows = ["%s %s.key.example:s:%s" % (n, n, key.path)
            for n in ("plain", "sub", "any", "user", "re", "dom", "dot",
                      "last")]

    def who(filter_, senders):
        got = {}
        for sender in senders:
            by = Probe(filter_, _mail(sender)).by
            got[sender] = by[0][0].split(".")[0] if by else None
        return got
    filter_ = _tables(env, rows, [
        "joe@ex.example user", "*@ex.example plain", "*@*.ex.example sub",
        "*any.example any", "u?s@re.example re", "bare.example dom"])
    filter_.start()
    wants = {"joe@ex.example": "user", "JOE@EX.example": "user",
             "ann@ex.example": "plain", "ann@a.b.ex.example": "sub",
             "ann@notex.example": None, "ann@any.example": "any",
             "ann@x.any.example": "any", "ann@notany.example": "any",
             "us@re.example": "re", "s@re.example": "re",
             "uxs@re.example": None, "ann@bare.example": None}
    t.eq(who(filter_, wants), wants, "refile")
    filter_.kill()
    env.write("SigningTable", "joe@ex.example user\nex.example dom\n"
              ".ex.example dot\n*@star.example plain\nann@* any\n")
    filter_.configure(SigningTable="file:" + env.path("SigningTable"))
    filter_.start()
    wants = {"joe@ex.example": "user", "bob@ex.example": "dom",
             "bob@EX.EXAMPLE": "dom", "bob@a.b.ex.example": "dot",
             "bob@star.example": None, "ann@elsewhere.example": "any",
             "ann@ex.example": "dom", "bob@elsewhere.example": None}
    t.eq(who(filter_, wants), wants, "file")
    filter_.kill()
    filter_.configure(SigningTable="csl:ex.example=dom,*=last")
    filter_.start()
    wants = {"bob@ex.example": "dom", "bob@else.example": "last"}
    t.eq(who(filter_, wants), wants, "csl with a last row for all")


def multiple_signatures(t, env):
    """MultipleSignatures: RSA and Ed25519, in table order, all or none"""
    rsa = keys.make(env, "example.com", "r")
    ed = keys.make(env, "example.com", "e", "ed25519")
    zone = keys.zone(rsa, ed)
    filter_ = _tables(env, [
        "e example.com:e:%s:ed25519-sha256" % ed.path,
        "r example.com:r:%s:rsa-sha256" % rsa.path,
        "n example.com:n:" + env.path("keys/none.pem")], [
            "*@example.com r", "*@example.com e", "joe@half.example r",
            "joe@half.example n"], MultipleSignatures="yes")
    filter_.start()
    probe = Probe(filter_, _mail(OURS))
    t.eq([(s["s"], s["a"]) for s in probe.signatures],
         [("r", "rsa-sha256"), ("e", "ed25519-sha256")],
         "two signatures, in table order, the first on top")
    t.eq(peers.verify_dkimpy(probe.copy, zone), ["pass", "pass"],
         "both verify")
    probe = Probe(filter_, _mail("joe@half.example"))
    t.ok(probe.by == [] and probe.answer.code in "ty",
         "one of two cannot be made: 451, never sent with fewer",
         probe.answer)
    filter_.kill()
    filter_.configure(MultipleSignatures="no")
    filter_.start()
    t.eq(Probe(filter_, _mail(OURS)).by, [("example.com", "r")],
         "MultipleSignatures no: the first only")


def domain_and_percent(t, env):
    """Domain, SubDomains, % in both tables, signer and i="""
    key = keys.make(env, "k", "s", bits=1024)
    filter_ = Filter(env, {"Domain": "one.example,two.example",
                           "Selector": "s", "KeyFile": key.path,
                           "SubDomains": "yes"}).start()
    probe = Probe(filter_, _mail("a@deep.sub.one.example"))
    t.eq(probe.by, [("one.example", "s")], "SubDomains: signed as the parent")
    t.eq(Probe(filter_, _mail("a@TWO.example")).by, [("two.example", "s")],
         "the second domain, capitals folded")
    t.eq(Probe(filter_, _mail("a@notone.example")).by, [],
         "notone.example is no sub-domain of one.example")
    filter_.kill()
    filter_.configure(SubDomains="no")
    filter_.start()
    t.eq(Probe(filter_, _mail("a@sub.one.example")).by, [],
         "SubDomains no: not signed")
    filter_.kill()
    env.write("KeyTable", "any %%:s:%s\n" % key.path)
    env.write("SigningTable", "*@i.example any:%\n*@up.example any:up.example"
              "\n*@out.example any:elsewhere.example\n* any\n")
    filter_.configure(Domain=None, Selector=None, KeyFile=None,
                      SubDomains=None, KeyTable="file:" + env.path("KeyTable"),
                      SigningTable="refile:" + env.path("SigningTable"))
    filter_.start()
    t.eq(Probe(filter_, _mail("a@some.example")).by, [("some.example", "s")],
         "% is the From domain")
    got = Probe(filter_, _mail("a@i.example")).signatures
    t.eq([s.get("i") for s in got], ["@i.example"], "signer % becomes i=")
    got = Probe(filter_, _mail("a@out.example")).signatures
    t.eq([(s["d"], s.get("i")) for s in got], [("out.example", None)],
         "a signer outside d= is no i=")


def senders(t, env):
    """the sender is parsed, not searched for; SenderHeaders"""
    key = keys.make(env, "k", "s", bits=1024)
    filter_ = _tables(env, ["any %%:s:%s" % key.path],
                      ["*@good.example any", "*@list.example any"]).start()
    for sender, want in (
            ("a@good.example", "good.example"),
            ("Joe <a@good.example>", "good.example"),
            ('"b@evil.example" <a@good.example>', "good.example"),
            ("(b@evil.example) a@good.example (<c@evil.example>)",
             "good.example"),
            ('"<b@evil.example>" <a@good.example>', "good.example"),
            ("<@relay.example:a@good.example>", "good.example"),
            ('"a@b"@good.example', "good.example"),
            ('"a@good.example" <b@evil.example>', None),
            ("(a@good.example) b@evil.example", None),
            ("a@good.example.evil.example", None),
            ("a@good.example, b@evil.example", None),
            ("a@good.example, b@good.example", "good.example"),
            ("undisclosed:;", None),
            ("a", None),
            ("<>", None),
            ("a@good.example b@evil.example", None),
            ("a@good.example\r\n <b@evil.example>", None)):
        probe = Probe(filter_, _mail(sender))
        t.eq([d for d, _ in probe.by], [want] if want else [],
             "From: %s: %s" % (sender.replace("\r\n", " "), want))
        t.ok(probe.passed, "   and it is passed on", probe.answer)
    filter_.kill()
    filter_.configure(SenderHeaders="List-Post,Sender,From")
    filter_.start()
    for extra, want in (
            (("List-Post: <mailto:x>",), []),
            (("Sender: l@list.example",), ["list.example"]),
            (("Sender: l@list.example", "List-Post: l@good.example"),
             ["good.example"]),
            ((), [])):
        probe = Probe(filter_, _mail("a@evil.example", *extra))
        t.eq([d for d, _ in probe.by], want, "SenderHeaders, %r" % (extra,))


def origins(t, env):
    """InternalHosts, authentication, MTA, MacroList; nobody else"""
    key = keys.make(env, "example.com", "r", bits=1024)
    base = {"Domain": "example.com", "Selector": "r", "KeyFile": key.path,
            "InternalHosts": "192.0.2.0/24", "MTA": "ORIGINATING",
            "MacroList": "trusted=yes|true", "AlwaysAddARHeader": "yes"}
    filter_ = Filter(env, base).start()
    text = _mail(OURS)
    for name, kw, signed in (
            ("outside", {"addr": OUTSIDE}, 0),
            ("loopback, not listed", {"addr": "127.0.0.1"}, 0),
            ("internal network", {"addr": "192.0.2.77"}, 1),
            ("authenticated", {"addr": OUTSIDE, "auth_type": "PLAIN",
                               "auth_authen": "joe"}, 1),
            ("daemon ORIGINATING", {"addr": OUTSIDE,
                                    "daemon": "ORIGINATING"}, 1),
            ("daemon originating", {"addr": OUTSIDE,
                                    "daemon": "originating2"}, 0),
            ("macro with a listed value", {"addr": OUTSIDE,
                                           "trusted": "true"}, 1),
            ("macro with another value", {"addr": OUTSIDE,
                                          "trusted": "no"}, 0)):
        probe = Probe(filter_, text, **kw)
        t.eq((len(probe.by), probe.verdicts), (signed, [] if signed else [
            "none"]), "%s: %s" % (name, "signed" if signed else "verified"))


def left_alone(t, env):
    """ExemptDomains, PeerList, DontSignMailTo, and Mode"""
    key = keys.make(env, "example.com", "r", bits=1024)
    forged = "Authentication-Results: mta.example.com; dkim=pass"
    filter_ = Filter(env, {
        "Domain": "example.com,exempt.example", "Selector": "r",
        "KeyFile": key.path, "ExemptDomains": "exempt.example",
        "PeerList": "192.0.2.9", "DontSignMailTo": "list@dest.example",
        "AlwaysAddARHeader": "yes"}).start()
    for name, sender, kw, signed, verdicts in (
            ("control, ours", OURS, {}, 1, []),
            ("control, theirs", "x@example.net", {"addr": OUTSIDE}, 0,
             ["none"]),
            ("ExemptDomains, ours", "a@exempt.example", {}, 0, []),
            ("ExemptDomains, inbound", "a@exempt.example",
             {"addr": OUTSIDE}, 0, []),
            ("PeerList", "x@example.net", {"addr": "192.0.2.9"}, 0, []),
            ("DontSignMailTo", OURS, {"rcpts": ["c@dest.example",
                                                "list@dest.example"]}, 0, []),
            ("other recipients", OURS, {"rcpts": ["c@dest.example"]}, 1, [])):
        probe = Probe(filter_, _mail(sender), **kw)
        t.eq((len(probe.by), probe.verdicts), (signed, verdicts), name)
    for name, sender, kw, kept in (
            ("ExemptDomains, inbound", "a@exempt.example",
             {"addr": OUTSIDE}, 0),
            ("DontSignMailTo, authenticated", OURS,
             {"addr": OUTSIDE, "auth_type": "PLAIN", "auth_authen": "j",
              "rcpts": ["list@dest.example"]}, 0),
            ("PeerList, not authenticated", "x@example.net",
             {"addr": "192.0.2.9"}, 1)):
        probe = Probe(filter_, _mail(sender, forged), **kw)
        t.eq(len(mail.values(probe.copy, "Authentication-Results")), kept,
             "%s: forged result %s" % (name, "kept" if kept else "gone"))
    for mode, ours, theirs in (("s", 1, []), ("v", 0, ["none"])):
        filter_.kill()
        filter_.configure(Mode=mode)
        filter_.start()
        t.eq(len(Probe(filter_, _mail(OURS)).by), ours,
             "Mode %s: mail of ours" % mode)
        probe = Probe(filter_, _mail("x@example.net", forged), addr=OUTSIDE)
        t.eq((probe.verdicts, probe.passed), (theirs, True),
             "Mode %s: mail of others; a forged result is gone" % mode)


def header_lists(t, env):
    """SignHeaders, OmitHeaders, OversignHeaders with * + -"""
    key = keys.make(env, "example.com", "r", bits=1024)
    text = _mail(OURS, "X-One: 1", "X-Two: 2", "Received: from x",
                 "Return-Path: <x>", "Reply-To: r@example.com",
                 "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
                 "Sender: s@example.com", "Bcc: x@example.com",
                 "Authentication-Results: x.example; none")
    filter_ = Filter(env, {"Domain": "example.com", "Selector": "r",
                           "KeyFile": key.path})

    def names(**options):
        filter_.configure(**options)
        filter_.start()
        got = mail.signed_names(Probe(filter_, text).signatures[0])
        filter_.kill()
        return got
    got = names()
    t.eq(sorted(got), sorted([
        "from", "from", "reply-to", "subject", "date", "to", "message-id",
        "list-unsubscribe-post"]), "built in: the list of BEHAVIOUR 2")
    got = names(SignHeaders="*,+X-One,-Subject,-From", OversignHeaders="From")
    t.ok("x-one" in got and "subject" not in got and got.count("from") == 2,
         "SignHeaders *,+x,-y; From is signed whatever is said", got)
    got = names(SignHeaders="From,X-One,X-Two,Received", OmitHeaders="*,+X-Two",
                OversignHeaders="From,X-None")
    t.eq(sorted(got), ["from", "from", "x-none", "x-one"],
         "OmitHeaders beats SignHeaders; an absent name is oversigned")


def replies(t, env):
    """On-*: codes and texts of the replies, and who is spared"""
    ours = keys.make(env, "example.com", "r", bits=1024)
    key = keys.make(env, "example.net", "n", bits=1024, owner=False)
    test = keys.make(env, "test.example", "t", bits=1024, owner=False,
                     flags="t=y; ")
    small = keys.make(env, "small.example", "w", bits=768, owner=False)
    server = Server(env, keys.zone(key, test, small))
    server.zone["bad._domainkey.example.net"] = rcode(SERVFAIL)
    good = peers.sign_dkimpy(_mail("x@example.net"), key)
    broken = good.replace(b"Hello", b"Hollo")
    tested = peers.sign_dkimpy(_mail("x@test.example"), test).replace(
        b"Hello", b"Hollo")
    weak = peers.sign_maildkim(_mail("x@small.example"), small)
    filter_ = Filter(env, {
        "Domain": "example.com", "Selector": "r", "KeyFile": ours.path,
        "Nameservers": server.address, "On-BadSignature": "reject",
        "On-NoSignature": "reject", "On-DNSError": "tempfail",
        "On-KeyNotFound": "reject", "AlwaysAddARHeader": "yes"}).start()

    def told(name, text, pattern, **kw):
        probe = Probe(filter_, text, addr=OUTSIDE, **kw)
        t.match(pattern, probe.answer.code + probe.reply, name)
        t.no_match("/run|/tmp|pem", probe.reply, "   and no path in it")
    told("bad signature: 550 5.7.20, selector and domain", broken,
         r"^y550 5\.7\.20 .*\bn\b.*example\.net")
    told("unsigned: 550 5.7.20", _mail("x@example.net"), r"^y550 5\.7\.20 ")
    told("no key: 550 5.7.20", good.replace(b"s=n;", b"s=gone;"),
         r"^y550 5\.7\.20 .*gone.*example\.net")
    told("DNS error: 451 4.7.0", good.replace(b"s=n;", b"s=bad;"),
         r"^y451 4\.7\.0 .*bad.*example\.net")
    told("policy (768 bits): 550 5.7.21", weak,
         r"^y550 5\.7\.21 .*\bw\b.*small\.example")
    told("a good one: accepted", good, r"^[ac]$")
    told("a good one beside a bad one: accepted", peers.sign_dkimpy(
        broken, key), r"^[ac]$")
    told("test key (t=y): spared", tested, r"^[ac]$")
    told("authenticated, unsigned, not ours: spared",
         _mail("x@example.net"), r"^[ac]$", auth_type="PLAIN",
         auth_authen="j")
    probe = Probe(filter_, _mail("x@unlisted.example"))
    t.ok(probe.passed, "unsigned mail of an internal host: spared")
    probe = Probe(filter_, tested, addr=OUTSIDE)
    t.match(r"dkim=fail .*\([^)]*testing", mail.values(
        probe.copy, "Authentication-Results")[0], "t=y: comment testing")
    two = b"From: b@example.com\r\n" + _mail(OURS)
    probe = Probe(filter_, two)
    t.match(r"^y550 5\.6\.0 ", probe.answer.code + probe.reply,
            "signing, two From: 550 5.6.0")
    t.ok(probe.by == [], "and not signed")
    two = b"From: b@unlisted.example\r\n" + _mail("b@unlisted.example")
    t.ok(Probe(filter_, two).passed, "two From, neither ours: passed")
    filter_.kill()
    for action, pattern in (("accept", "^[ac]$"), ("discard", "^d$"),
                            ("tempfail", r"^y451 4\.7\.0 |^t$")):
        filter_.configure(**{"On-BadSignature": action})
        mark = filter_.mark()
        filter_.start()
        told("On-BadSignature " + action, broken, pattern)
        if action == "tempfail":
            t.match("On-BadSignature", filter_.since(mark),
                    "tempfail is obeyed and warned about at start")
        filter_.kill()
    filter_.configure(**{"On-BadSignature": "quarantine"})
    filter_.start()
    probe = Probe(filter_, broken, addr=OUTSIDE)
    t.ok(probe.passed and any(c[0] == "q" for c in probe.answer.changes),
         "On-BadSignature quarantine: quarantined", probe.answer)


def results_field(t, env):
    """AuthservID, job id, header.b, removal, several forged ones"""
    key = keys.make(env, "example.net", "n", bits=1024, owner=False)
    server = Server(env, keys.zone(key))
    good = peers.sign_dkimpy(_mail("x@example.net"), key)
    filter_ = Filter(env, {"Mode": "v", "Nameservers": server.address,
                           "AlwaysAddARHeader": "yes"}).start()
    probe = Probe(filter_, good, addr=OUTSIDE)
    got = mail.results(probe.copy)[0]
    t.eq((got[0], got[1].get("header.d"), got[1].get("header.i"),
          got[1].get("header.a"), got[1].get("header.s")),
         ("pass", "example.net", "@example.net", "rsa-sha256", "n"),
         "header.d, .i, .a, .s")
    t.eq(got[1].get("header.b"), mail.signatures(good)[0]["b"][:8],
         "header.b is the start of b=")
    forgeries = ["mta.example.com; dkim=pass", "mta.example.com 1; dkim=pass",
                 "MTA.Example.COM; dkim=pass", '"mta.example.com"; dkim=pass',
                 "(c) mta.example.com (d) ; dkim=pass",
                 "mta.example.com;\r\n\tdkim=pass\r\n\theader.d=x.example",
                 "mta.example.com; dkim/9=pass; nosuch=what policy.x=(",
                 "mta.example.com" + "; dkim=pass" * 600,
                 "mta.example.com dkim=pass"]
    keep = ["other.example; dkim=pass", "mta.example.com.evil.example; none",
            "x.mta.example.com; none"]
    text = _mail("x@example.net", *["Authentication-Results: " + v for pair in
                                    zip(forgeries, keep * 3) for v in pair])
    probe = Probe(filter_, text, addr=OUTSIDE)
    left = mail.values(probe.copy, "Authentication-Results")
    t.eq(left[0].replace(" ", ""), "mta.example.com;dkim=none",
         "ours is on top")
    t.eq(left[1:], keep * 3, "all forged ones go, the others stay in order")
    filter_.kill()
    filter_.configure(AuthservID="id.example", AuthservIDWithJobID="yes",
                      RemoveARFrom="other.example")
    filter_.start()
    probe = Probe(filter_, good, addr=OUTSIDE, queue_id="4QUEUE")
    t.match(r'^"?id\.example/4QUEUE"?;', mail.values(
        probe.copy, "Authentication-Results")[0], "AuthservIDWithJobID")
    probe = Probe(filter_, _mail(
        "x@example.net", "Authentication-Results: other.example; dkim=pass",
        "Authentication-Results: third.example; dkim=pass"), addr=OUTSIDE)
    left = mail.values(probe.copy, "Authentication-Results")
    t.ok(not any(v.startswith("other") for v in left) and any(
        v.startswith("third") for v in left),
        "RemoveARFrom: the named id goes, a third stays", left)


def through_postfix(t, env):
    """the submission listener of README: ORIGINATING; replies on the wire"""
    site = Site(env, {"MTA": "ORIGINATING", "On-BadSignature": "reject"},
                listeners={"submission": [
                    "milter_macro_daemon_name=ORIGINATING"]}).start()
    copy = site.through(message(OURS, "o@dest.example"), "o@dest.example",
                        source=FOREIGN, port=site.mta.ports["submission"])
    t.eq(peers.verify_dkimpy(copy, site.zone), ["pass"],
         "signed for a foreign client of the submission listener")
    copy = site.through(message(OURS, "p@dest.example"), "p@dest.example",
                        source=FOREIGN)
    t.eq(mail.signatures(copy), [], "not signed at the other listener")
    bad = peers.sign_dkimpy(message("x@example.net", "q@dest.example"),
                            site.theirs).replace(b"Hello", b"Hollo")
    reply = site.send(bad, "x@example.net", "q@dest.example", FOREIGN)
    t.match(r"^550 5\.7\.20 .*example\.net", reply,
            "Postfix hands the client our 550 5.7.20")
    reply = site.send(b"From: b@example.com\r\n" + message(
        OURS, "q@dest.example"), OURS, "q@dest.example")
    t.match(r"^550 5\.6\.0 ", reply, "and our 550 5.6.0 for two From")
    t.eq(site.sink.wait("q@dest.example", 1, 0.3), [], "neither was passed")


tap.run(signing_table_patterns, multiple_signatures, domain_and_percent,
        senders, origins, left_alone, header_lists, replies, results_field,
        through_postfix)
