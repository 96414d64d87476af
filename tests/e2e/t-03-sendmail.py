#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Mail through a real Sendmail, signed and verified.

Sendmail shows a filter the header before it adds Date and Message-Id and
rewrites addresses; a signature must survive that with the built-in defaults.
"""

from harness import mail, peers, tap
from harness.site import FOREIGN, OURS, THEIRS, Site
from harness.smtp import message

FORGED = "Authentication-Results: mta.example.com; dkim=pass header.d=bank.example"


def setup(env):
    return Site(env, {"On-DNSError": "accept"}, mta="sendmail").start()


def verified(t, site, copy, what):
    t.eq(peers.verify_dkimpy(copy, site.zone), ["pass"],
         what + ": dkimpy verifies")
    t.eq(peers.verify_maildkim(site.env, copy, site.zone), ["pass"],
         what + ": Mail::DKIM verifies")
    t.eq(peers.verify_opendkim(site.env, copy, site.zone), ["pass"],
         what + ": opendkim verifies")


def signs_outbound(t, site):
    """our mail to the world"""
    copy = site.through(message(OURS, "out@dest.example", "out"),
                        "out@dest.example")
    t.eq(mail.fields(copy)[0][0], "dkim-signature",
         "the signature is the topmost field")
    sigs = mail.signatures(copy)
    t.eq([(s["d"], s["s"], s["a"]) for s in sigs],
         [("example.com", "r", "rsa-sha256")], "signed once, as configured")
    t.eq(mail.values(copy, "Authentication-Results"), [],
         "no Authentication-Results on mail of ours")
    verified(t, site, copy, "outbound")
    bad = copy.replace(b"Subject: out", b"Subject: oot")
    t.ok(peers.verify_dkimpy(bad, site.zone) != ["pass"],
         "control: a changed subject does not verify")


def survives_rewriting(t, site):
    """what Sendmail adds and rewrites after signing does not break it"""
    text = (b"From: Joe Public <a@example.com>\r\n"
            b"To: rewrite@dest.example\r\nSubject:   blanks  and\r\n"
            b"\tfolds\r\nSender: a\r\nBcc: hidden@dest.example\r\n\r\n"
            b".dots\r\n..\r\n\r\nEnd.  \r\n\r\n\r\n")
    copy = site.through(text, "rewrite@dest.example")
    t.ok(mail.values(copy, "Date") and mail.values(copy, "Message-ID"),
         "Sendmail added Date and Message-ID")
    t.eq(mail.values(copy, "Bcc"), [], "Bcc is gone")
    names = mail.signed_names(mail.signatures(copy)[0])
    t.ok(not {"bcc", "date", "message-id", "sender"} & set(names),
         "none of these is in h=", names)
    verified(t, site, copy, "rewritten")


# address lists as Sendmail itself writes them, and others
AS_SENDMAIL_WRITES = (
    b"a@x.example, b@y.example", b"A B <a@x.example>",
    b'"A, B" <a@x.example>', b"a@x.example (comment)",
    b"A <a@x.example>,\r\n\tB <b@y.example>")
OTHERWISE = (
    b"a@x.example,b@y.example", b"a@x.example ,b@y.example",
    b"<a@x.example>,<b@y.example>", b"A, <a@x.example>")


def address_lists(t, site):
    """lists that Sendmail writes anew after signing (problem 22)"""
    def judged(value, rcpt):
        copy = site.through(b"From: Joe <a@example.com>\r\nTo: " + value
                            + b"\r\nSubject: x\r\n\r\nHi\r\n",
                            rcpt + "@dest.example")
        return (peers.verify_dkimpy(copy, site.zone),
                mail.values(copy, "To")[0].encode() == value)
    for i, value in enumerate(AS_SENDMAIL_WRITES):
        t.eq(judged(value, "kept%d" % i)[0], ["pass"],
             "%r: as it writes them: pass" % value)
    for i, value in enumerate(OTHERWISE):
        t.eq(judged(value, "changed%d" % i), (["fail"], False),
             "%r: written anew: fail" % value)
    site.filter.stop()
    site.filter.configure(OmitHeaders="+To,+Cc")
    site.filter.start()
    for i, value in enumerate(OTHERWISE):
        t.eq(judged(value, "left%d" % i), (["pass"], False),
             "%r: OmitHeaders +To,+Cc: pass" % value)
    site.filter.stop()
    site.filter.configure(OmitHeaders=None)
    site.filter.start()


def several_in_a_session(t, site):
    """two messages in one session, another aborted before each"""
    with site.client() as c:
        for i in range(2):
            c.envelope("x@unlisted.example", "never@dest.example")
            c.cmd("RSET")
            rcpt = "several-%d@dest.example" % i
            t.match("^250", c.send(OURS, rcpt, message(
                OURS, rcpt, rcpt, "Body %d.\r\n" % i)),
                "message %d accepted" % i)
    for i in range(2):
        copy = site.sink.one("several-%d@dest.example" % i).data
        t.eq(peers.verify_dkimpy(copy, site.zone), ["pass"],
             "message %d verifies" % i)
        t.eq(mail.body(copy), b"Body %d.\r\n" % i, "and is itself")


def eight_bit(t, site):
    """8-bit mail"""
    text = message(OURS, "8bit@dest.example", "eight",
                   b"Latin-1: \xe4\xf6\xfc \xff\x80\r\n",
                   extra=("MIME-Version: 1.0",
                          "Content-Type: text/plain; charset=iso-8859-1",
                          "Content-Transfer-Encoding: 8bit"))
    copy = site.through(text, "8bit@dest.example", options="BODY=8BITMIME")
    t.ok(b"\xe4\xf6\xfc \xff\x80\r\n" in copy, "the octets arrive unchanged")
    verified(t, site, copy, "8-bit")


def verifies_inbound(t, site):
    """a stranger's mail gets our Authentication-Results"""
    signed = peers.sign_dkimpy(message(THEIRS, "in@dest.example", "in",
                                       extra=(FORGED, FORGED)), site.theirs)
    for name, text, want in (
            ("good", signed, "pass"),
            ("body", signed.replace(b"Hello", b"Hollo"), "fail"),
            ("unsigned", message(THEIRS, "in@dest.example", "plain",
                                 extra=(FORGED,)), "none")):
        copy = site.through(text, "in-%s@dest.example" % name, sender=THEIRS,
                            source=FOREIGN)
        t.eq(mail.fields(copy)[0][0], "authentication-results",
             name + ": the result is the topmost field")
        t.eq(mail.verdicts(copy), [want], "%s: dkim=%s" % (name, want),
             mail.values(copy, "Authentication-Results"))
        t.no_match("bank.example", copy, name + ": forged results are gone")


def simple_canonicalization(t, site):
    """simple/simple: leading space is kept through Sendmail"""
    # RFC 6376 s5.3, s3.4.1: the very octets that the verifier receives
    site.filter.stop()
    site.filter.configure(Canonicalization="simple/simple")
    site.filter.start()
    text = message(OURS, "simple@dest.example", "simple").replace(
        b"Subject: simple", b"Subject:  two blanks")
    copy = site.through(text, "simple@dest.example")
    t.eq(mail.signatures(copy)[0]["c"], "simple/simple", "c=simple/simple")
    t.ok(b"\r\nSubject:  two blanks\r\n" in copy, "the blanks arrive")
    t.eq(peers.verify_dkimpy(copy, site.zone), ["pass"], "dkimpy verifies")
    t.eq(peers.verify_maildkim(site.env, copy, site.zone), ["pass"],
         "Mail::DKIM verifies")
    # opendkim -t loses blanks after the colon; as a milter it does not
    t.eq(peers.OpendkimMilter(site.env, site.zone).verify(copy), ["pass"],
         "opendkim verifies")


tap.run(signs_outbound, survives_rewriting, address_lists,
        several_in_a_session, eight_bit, verifies_inbound,
        simple_canonicalization, setup=setup)
