#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Mail through a real Postfix with chrooted smtpd, signed and verified."""

import os
import re

from harness import mail, milter, peers, tap
from harness.env import wait_until
from harness.site import FOREIGN, INTERNAL, OURS, THEIRS, Site
from harness.smtp import message

FORGED = "Authentication-Results: mta.example.com; dkim=pass header.d=bank.example"
ELSEWHERE = "Authentication-Results: other.example; dkim=pass header.d=kept.example"


def setup(env):
    return Site(env, {"Domain": "example.com,mta.example.com",
                      "On-DNSError": "accept"}).start()


def verified(t, site, copy, what, slow=True):
    """Three programs say pass of the only signature."""
    t.eq(peers.verify_dkimpy(copy, site.zone), ["pass"],
         what + ": dkimpy verifies")
    if slow:
        t.eq(peers.verify_maildkim(site.env, copy, site.zone), ["pass"],
             what + ": Mail::DKIM verifies")
    t.eq(peers.verify_opendkim(site.env, copy, site.zone), ["pass"],
         what + ": opendkim verifies")


def signs_outbound(t, site):
    """our mail to the world leaves with one signature that verifies"""
    copy = site.through(message(OURS, "b@dest.example", "out"),
                        "out@dest.example")
    names = [n for n, _ in mail.fields(copy)]
    t.eq(names[0], "dkim-signature", "the signature is the topmost field")
    t.eq(names.count("dkim-signature"), 1, "there is one signature")
    sig = mail.signatures(copy)[0]
    t.eq({k: sig.get(k) for k in "vadsc"},
         {"v": "1", "a": "rsa-sha256", "d": "example.com", "s": "r",
          "c": "relaxed/relaxed"}, "its tags are those configured")
    t.ok("l" not in sig, "no l= tag")
    t.ok({"from", "to", "subject", "date"} <= set(mail.signed_names(sig)),
         "From, To, Subject and Date are signed", sig["h"])
    t.eq(mail.values(copy, "Authentication-Results"), [],
         "our own mail gets no Authentication-Results")
    verified(t, site, copy, "outbound")
    bad = copy.replace(b"Hello.", b"Hallo.")
    t.ok(peers.verify_dkimpy(bad, site.zone) != ["pass"],
         "control: dkimpy refuses a changed body")
    t.eq(peers.verify_maildkim(site.env, bad, site.zone), ["fail"],
         "control: Mail::DKIM refuses a changed body")
    t.eq(peers.verify_opendkim(site.env, bad, site.zone), ["fail"],
         "control: opendkim refuses a changed body")


def runs_as_described(t, site):
    """smtpd is chrooted and the filter has no root rights"""
    roots = []
    with site.client():
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid) as f:
                    words = f.read().split("\0")
                if words[0] == "smtpd" and (
                        os.readlink("/proc/%s/cwd" % pid).startswith(
                            site.mta.dir)):
                    roots.append(os.readlink("/proc/%s/root" % pid))
            except OSError:
                continue
    t.eq(set(roots), {os.path.join(site.mta.dir, "spool")},
         "every smtpd has the queue folder as its root")
    with open("/proc/%d/status" % site.filter.milter_pid()) as f:
        uids = re.search(r"^Uid:\s+(.*)$", f.read(), re.M).group(1).split()
    t.eq(set(uids), {str(site.env.user.uid)},
         "the filter runs as its own user")


def verifies_inbound(t, site):
    """a stranger's signed mail gets our Authentication-Results"""
    signed = peers.sign_dkimpy(message(THEIRS, "in@dest.example", "in"),
                               site.theirs)
    copy = site.through(signed, "in@dest.example", sender=THEIRS,
                        source=FOREIGN)
    t.eq(mail.fields(copy)[0][0], "authentication-results",
         "the result is the topmost field")
    found = mail.results(copy)
    t.eq([r for r, _, _ in found], ["pass"], "one clause, dkim=pass",
         mail.values(copy, "Authentication-Results"))
    t.eq({k: found[0][1].get(k) for k in ("header.d", "header.s")},
         {"header.d": "example.net", "header.s": "n"},
         "it names domain and selector")
    t.eq(len(mail.signatures(copy)), 1, "the stranger's mail is not signed")
    for name, text, want in (
            ("body", signed.replace(b"Hello", b"Hollo"), "fail"),
            ("header", signed.replace(b"Subject: in", b"Subject: im"),
             "fail"),
            ("no key", signed.replace(b"s=n;", b"s=nn;"), "permerror"),
            ("unsigned", message(THEIRS, "in@dest.example"), "none")):
        rcpt = "in-%s@dest.example" % name.replace(" ", "-")
        copy = site.through(text, rcpt, sender=THEIRS, source=FOREIGN)
        t.eq(mail.verdicts(copy), [want], "%s: dkim=%s" % (name, want),
             mail.values(copy, "Authentication-Results"))


def not_for_strangers(t, site):
    """a stranger who writes in our name gets no signature"""
    copy = site.through(message(OURS, "s@dest.example"), "s@dest.example",
                        source=FOREIGN)
    t.eq(mail.signatures(copy), [], "not signed")
    t.eq(mail.verdicts(copy), ["none"], "verified as unsigned")


def own_unsigned(t, site):
    """mail of ours that no table covers: no signature, no dkim=none"""
    copy = site.through(message("a@unlisted.example", "u@dest.example"),
                        "u@dest.example", sender="a@unlisted.example")
    t.eq(mail.signatures(copy), [], "not signed")
    t.eq(mail.values(copy, "Authentication-Results"), [],
         "no Authentication-Results")


def local_mail(t, site):
    """mail by sendmail(1)"""
    text = message(OURS, "local@dest.example", "local").replace(b"\r\n",
                                                                b"\n")
    site.mta.local(OURS, "local@dest.example", text)
    copy = site.sink.one("local@dest.example").data
    t.eq(len(mail.signatures(copy)), 1, "signed once")
    verified(t, site, copy, "local mail")


def bounces(t, site):
    """a bounce that Postfix writes is signed"""
    with site.client() as c:
        c.send("back@dest.example", "nouser@dest.example",
               message(OURS, "nouser@dest.example", "bounced"))
    copy = site.sink.one("back@dest.example")
    t.eq(copy.sender, "", "it is a bounce: null sender")
    t.match(r"MAILER-DAEMON@", mail.values(copy.data, "From")[0],
            "from MAILER-DAEMON")
    t.eq(len(mail.signatures(copy.data)), 1, "signed once",
         mail.values(copy.data, "From"))
    zone = dict(site.zone)
    zone["r._domainkey.mta.example.com"] = site.ours.record
    t.eq(peers.verify_dkimpy(copy.data, zone), ["pass"], "dkimpy verifies")


def aborted_first(t, site):
    """two messages in one session, the first aborted"""
    with site.client() as c:
        c.envelope("x@unlisted.example", "never@dest.example")
        c.cmd("RSET")
        reply = c.send(OURS, "second@dest.example",
                       message(OURS, "second@dest.example", "second"))
        t.match("^250", reply, "second message accepted after RSET")
        c.envelope(OURS, "never@dest.example")
        c.cmd("RSET")
        for i in range(3):
            c.send(OURS, "third-%d@dest.example" % i,
                   message(OURS, "third@dest.example", "third %d" % i,
                           "Body %d.\r\n" % i))
    verified(t, site, site.sink.one("second@dest.example").data,
             "after RSET")
    for i in range(3):
        copy = site.sink.one("third-%d@dest.example" % i).data
        t.eq(peers.verify_dkimpy(copy, site.zone), ["pass"],
             "message %d of one session verifies" % i)
        t.eq(mail.body(copy), b"Body %d.\r\n" % i, "and is itself")
    c = site.client()
    c.begin(OURS, "never@dest.example", message(OURS, "never@dest.example",
                                                "cut"))
    c.close()
    copy = site.through(message(OURS, "b@dest.example", "after"),
                        "after-drop@dest.example")
    t.eq(peers.verify_dkimpy(copy, site.zone), ["pass"],
         "a message after a dropped one verifies")
    t.eq(site.sink.wait("never@dest.example", 1, 0.2), [],
         "no aborted message was delivered")


def aborted_in_content(t, site):
    """ABORT in header and body, then a message on the same connection"""
    first = message(OURS, "b@dest.example", "first", "First.\r\n" * 50)
    second = message(OURS, "b@dest.example", "second", "Second.\r\n")
    with milter.Session(site.filter.socket) as s:
        s.connect()
        s.envelope(OURS)
        for name, value in milter.fields(first.partition(b"\r\n\r\n")[0])[:2]:
            s.step(b"L", milter.z(name, value), milter.NOHDRS, milter.NR_HDR)
        s.put(b"A")
        s.envelope(OURS)
        s.content(first, chunk=100)
        s.put(b"A")
        answer = s.message(second, sender=OURS)
    copy = milter.apply(second, answer.changes)
    t.eq(peers.verify_dkimpy(copy, site.zone), ["pass"],
         "nothing of the aborted messages is in the signature")


def utf8_and_8bit(t, site):
    """SMTPUTF8 and 8-bit mail"""
    text = message('"J\u00f6rg" <%s>' % OURS, "utf8@dest.example",
                   "gr\u00fc\u00dfe \u4f60\u597d", "K\u00f6rper\r\n")
    copy = site.through(text, "utf8@dest.example", options="SMTPUTF8")
    t.match("SMTPUTF8", site.sink.one("utf8@dest.example").options,
            "it travelled as SMTPUTF8")
    t.ok("gr\u00fc\u00dfe".encode() in copy, "the header is UTF-8")
    verified(t, site, copy, "SMTPUTF8")
    text = message(OURS, "8bit@dest.example", "eight",
                   b"Latin-1: \xe4\xf6\xfc \xff\x80\r\n",
                   extra=("MIME-Version: 1.0",
                          "Content-Type: text/plain; charset=iso-8859-1",
                          "Content-Transfer-Encoding: 8bit"))
    copy = site.through(text, "8bit@dest.example", options="BODY=8BITMIME")
    t.ok(b"\xe4\xf6\xfc \xff\x80\r\n" in copy, "the octets arrive unchanged")
    verified(t, site, copy, "8-bit")


def dot_lines(t, site):
    """lines that begin with dots, blank ends, long runs of blanks"""
    # RFC 6376 s3.7 #17: hashed without the dots that SMTP adds
    body = (b".\r\n..\r\n.leading\r\n...\r\n\r\n.\r\n  two  blanks \t \r\n"
            b".\t.\r\n\r\n \r\n\r\n")
    copy = site.through(message(OURS, "dots@dest.example", "dots", body),
                        "dots@dest.example")
    t.eq(mail.body(copy), body, "the body arrives octet for octet")
    verified(t, site, copy, "dots")


def _peak(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"^VmHWM:\s+(\d+)", f.read(), re.M).group(1))


def twenty_megabytes(t, site):
    """a message of 20 MB, in flat memory"""
    line = b"0123456789 abcdefghijklmnopqrstuvwxyz  ABCDEFGHIJKLMNOPQRSTUVW\r\n"
    body = line * (20 * 1024 * 1024 // len(line) + 1)
    before = _peak(site.filter.milter_pid())
    copy = site.through(message(OURS, "big@dest.example", "big", body),
                        "big@dest.example")
    grown = _peak(site.filter.milter_pid()) - before
    t.ok(len(copy) > 20 * 1024 * 1024 and mail.body(copy) == body,
         "20 MB arrive unchanged", len(copy))
    verified(t, site, copy, "20 MB", slow=False)
    t.ok(grown < 4096, "the filter's peak memory grew by less than 4 MB",
         "grown by %d KB" % grown)


def forged_results(t, site):
    """forged Authentication-Results go, our border's field survives"""
    text = message(OURS, "f@dest.example", "forged",
                   extra=(FORGED, ELSEWHERE, FORGED.replace("dkim=pass",
                                                            "spf=pass")))

    def claims(copy):
        return [v for v in mail.values(copy, "Authentication-Results")
                if v.startswith("mta.example.com")]
    for name, source, user, kept in (
            ("authenticated, foreign address", FOREIGN, "joe", 0),
            ("authenticated, internal address", INTERNAL, "joe", 0),
            ("internal, not authenticated", INTERNAL, None, 2)):
        rcpt = "forged-%d-%s@dest.example" % (kept, source)
        copy = site.through(text, rcpt, source=source, user=user)
        t.eq(len(claims(copy)), kept, "%s: %d of 2 kept" % (name, kept))
        t.ok(any(v.startswith("other.example") for v in mail.values(
            copy, "Authentication-Results")), name + ": foreign id stays")
        t.eq(peers.verify_dkimpy(copy, site.zone), ["pass"],
             name + ": signed, and verifies as passed on")
    signed = peers.sign_dkimpy(message(THEIRS, "f@dest.example", "in",
                                       extra=(FORGED,) * 3), site.theirs)
    copy = site.through(signed, "forged-in@dest.example", sender=THEIRS,
                        source=FOREIGN)
    t.eq(mail.results(copy)[0][1].get("header.d"), "example.net",
         "inbound: the first result is ours")
    t.no_match("bank.example", copy, "inbound: all three forged ones go")


def log_lines(t, site):
    """one line a message, with Postfix's queue id"""
    mark = site.filter.mark()
    site.through(message(OURS, "log@dest.example", "log"), "log@dest.example")
    queue_id = re.search(r"(\w+): to=<log@dest\.example>",
                         wait_until(lambda: ("log@dest.example>, relay"
                                             in site.mta.log()
                                             and site.mta.log()), 5)).group(1)
    found = site.filter.wait_log(queue_id + ": role=", mark=mark)
    line = [s for s in site.filter.since(mark).splitlines()
            if queue_id + ": role=" in s]
    t.ok(found and len(line) == 1, "one line with the queue id", line)
    t.match(r"role=sign .*result=\S+ .*d=example\.com .*s=r .*a=rsa-sha256 "
            r".*from=", "".join(line), "it tells role, result, d, s, a, from")


tap.run(signs_outbound, runs_as_described, verifies_inbound,
        not_for_strangers, own_unsigned, local_mail, bounces, aborted_first,
        aborted_in_content, utf8_and_8bit, dot_lines, twenty_megabytes,
        forged_results, log_lines, setup=setup)
