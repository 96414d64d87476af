#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""DNS that drops, delays, fails and lies; and bursts while it is dead."""

import os
import re
import selectors
import signal
import threading
import time

from harness import dns, keys, mail, milter, peers, tap
from harness.daemon import Filter
from harness.env import wait_until
from harness.smtp import message

TIMEOUT = 3
THEIRS = "x@example.net"
FOREIGN = "198.51.100.7"


def _key(env):
    return keys.make(env, "example.net", "n", bits=1024, owner=False)


def _signed(key, selector):
    """The message under another selector; the key stays."""
    return peers.sign_dkimpy(
        message(THEIRS, "b@dest.example", selector),
        keys.Key(key.path, key.domain, selector, key.kind, key.record))


def _name(selector):
    return selector + "._domainkey.example.net"


def _judge(filter_, text):
    """(verdicts, answer, seconds from end of message)"""
    with milter.Session(filter_.socket) as s:
        s.connect(addr=FOREIGN)
        s.envelope(THEIRS)
        s.content(text)
        began = time.monotonic()
        answer = s.end()
        took = time.monotonic() - began
    return mail.verdicts(milter.apply(text, answer.changes)), answer, took


def _filter(env, server, **options):
    return Filter(env, dict({
        "Mode": "v", "Nameservers": server.address,
        "DNSTimeout": str(TIMEOUT), "On-DNSError": "accept",
        "AlwaysAddARHeader": "yes"}, **options))


def each_fault(t, env):
    """one name for each thing a DNS server can do to us"""
    key = _key(env)
    good = key.record
    huge = "v=DKIM1; n=" + "x" * 60000 + "; p=" + good.split("p=")[1]
    cases = {
        # name: entry, verdict
        "plain": (good, "pass"),
        "slow": (dns.delay(0.6, good), "pass"),
        "tooslow": (dns.delay(TIMEOUT + 4, good), "temperror"),
        "dropped": (dns.drop(), "temperror"),
        "servfail": (dns.rcode(dns.SERVFAIL), "temperror"),
        "refused": (dns.rcode(dns.REFUSED), "temperror"),
        "nxdomain": (dns.rcode(dns.NXDOMAIN), "permerror"),
        "nodata": ([], "permerror"),
        "garbage": (dns.garbage(), "temperror"),
        "tc": (dns.truncated(good), "pass"),
        "tcdead": (dns.truncated(good, tcp=False), "temperror"),
        "huge": (huge, "permerror"),
        "fourk": ("v=DKIM1; n=" + "x" * 4000 + "; p="
                  + good.split("p=")[1], "pass"),
        "two": (["no key at all", good], "pass"),
        "twobad": (["no key at all", "v=DKIM1; p=AAAA"], "permerror"),
        "seventeen": (["junk %d" % i for i in range(16)] + [good],
                      "permerror"),
        "cname": (dns.cname("one.keys.example"), "pass"),
        "loop": (dns.cname("loop._domainkey.example.net"), "temperror"),
        "revoked": ("v=DKIM1; p=", "permerror"),
        "glued": ("p=DKIM1; " + good, "permerror"),
    }
    server = dns.Server(env, {_name(s): e for s, (e, _) in cases.items()})
    server.zone["one.keys.example"] = dns.cname("two.keys.example")
    server.zone["two.keys.example"] = dns.cname("three.keys.example")
    server.zone["three.keys.example"] = good
    filter_ = _filter(env, server).start()
    texts = {s: _signed(key, s) for s in cases}
    got = {}

    def one(selector):
        got[selector] = _judge(filter_, texts[selector])
    # What answers comes first: beside dropped questions libunbound waits
    # longer for all others, and after five of them we wait for 1 s only
    for last in (False, True):
        threads = [threading.Thread(target=one, args=(s,))
                   for s, (_, want) in cases.items()
                   if (want == "temperror") == last]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(40)
    for selector, (_, want) in cases.items():
        verdicts, answer, took = got.get(selector, ([], None, 99))
        t.eq(verdicts, [want], "%s: %s" % (selector, want), answer)
        t.ok(took <= TIMEOUT + 3, "%s: answered within DNSTimeout + 3 s"
             % selector, took)
    t.ok(got["tooslow"][2] >= TIMEOUT - 1.5,
         "tooslow: the wait is the configured one", got["tooslow"][2])
    t.ok(got["slow"][2] < TIMEOUT - 0.2, "slow: answered once the record came",
         got["slow"][2])
    asked = server.asked[_name("plain")]
    t.eq(_judge(filter_, texts["plain"])[0], ["pass"], "asked again: pass")
    t.eq(server.asked[_name("plain")], asked, "from the cache")


def what_the_mta_is_told(t, env):
    """On-DNSError and On-KeyNotFound, built in and configured"""
    key = _key(env)
    server = dns.Server(env, {_name("dead"): dns.rcode(dns.SERVFAIL),
                              _name("good"): key.record})
    texts = {s: _signed(key, s) for s in ("dead", "none", "good")}
    both = peers.sign_dkimpy(texts["dead"], keys.Key(
        key.path, key.domain, "good", key.kind, key.record))
    filter_ = _filter(env, server)
    filter_.configure(**{"On-DNSError": None})
    filter_.start()
    _, answer, _ = _judge(filter_, texts["dead"])
    t.match(r"^y451 4\.7\.0 .*dead.*example\.net",
            answer.code + answer.data.decode(),
            "temperror, built in: 451 4.7.0 with selector and domain")
    t.no_match("/", answer.data, "and no path")
    verdicts, answer, _ = _judge(filter_, texts["none"])
    t.eq((verdicts, answer.code in "ac"), (["permerror"], True),
         "no key, built in: accepted as permerror")
    verdicts, answer, _ = _judge(filter_, both)
    t.eq((sorted(verdicts), answer.code in "ac"),
         (["pass", "temperror"], True),
         "a pass beside the temperror: accepted")
    filter_.stop()
    filter_.configure(**{"On-DNSError": "accept",
                         "On-KeyNotFound": "reject"})
    filter_.start()
    verdicts, answer, _ = _judge(filter_, texts["dead"])
    t.eq((verdicts, answer.code in "ac"), (["temperror"], True),
         "On-DNSError accept: accepted as temperror")
    _, answer, _ = _judge(filter_, texts["none"])
    t.match(r"^y550 5\.7\.20 .*none.*example\.net",
            answer.code + answer.data.decode(),
            "On-KeyNotFound reject: 550 5.7.20 with selector and domain")


def _at_end_of_message(filter_, texts):
    """One session a text, all but end of message done."""
    sessions = []
    for text in texts:
        s = milter.Session(filter_.socket)
        s.connect(addr=FOREIGN)
        s.envelope(THEIRS)
        s.content(text)
        sessions.append(s)
    return sessions


def _answers(sessions, began):
    """{index: (answer, seconds)}; progress is read over."""
    picker = selectors.DefaultSelector()
    for i, s in enumerate(sessions):
        picker.register(s.sock, selectors.EVENT_READ, i)
    done = {}
    while len(done) < len(sessions) and time.monotonic() - began < 60:
        for key, _ in picker.select(1):
            i = key.data
            answer = _next(sessions[i])
            if answer is not None:
                done[i] = (answer, time.monotonic() - began)
                picker.unregister(sessions[i].sock)
    return done


def _next(session):
    """The final answer if that is what comes next. Changes come with it."""
    changes = []
    while True:
        code, data = session.get()
        if code == b"p":
            if not changes:
                return None
        elif code in b"himb":
            changes.append(milter._change(code, data))
        else:
            return milter.Reply(code.decode(), data, changes, 0)


def _burst(t, env, count):
    key = _key(env)
    server = dns.Server(env, {_name("good"): key.record})
    server.default = dns.drop()
    filter_ = _filter(env, server).start()
    texts = [_signed(key, "dead%d" % i) for i in range(count)]
    sessions = _at_end_of_message(filter_, texts[:1])
    warm = _answers(sessions, time.monotonic()) if not sessions[0].put(
        b"E") else None
    t.eq(warm[0][0].code in "ac", True, "%d: one alone is answered" % count)
    sessions[0].quit()
    sessions = _at_end_of_message(filter_, texts)
    # stopped while all ends of message are written, the process finds them
    # in one poll round
    pid = filter_.milter_pid()
    os.kill(pid, signal.SIGSTOP)
    for s in sessions:
        s.put(b"E")
    began = time.monotonic()
    os.kill(pid, signal.SIGCONT)
    done = _answers(sessions, began)
    worst = max(s for _, s in done.values()) if done else 99
    t.note("%d sessions: last answer after %.2f s" % (count, worst))
    t.eq(len(done), count, "%d: every session is answered" % count)
    t.ok(worst <= TIMEOUT + 3, "%d: the last within DNSTimeout + 3 s"
         % count, worst)
    wrong = [mail.verdicts(milter.apply(texts[i], a.changes))
             for i, (a, _) in done.items()]
    t.eq([w for w in wrong if w != ["temperror"]], [],
         "%d: each says temperror" % count)
    for s in sessions:
        s.quit()
    t.eq(filter_.milter_pid(), pid, "%d: the process lived" % count)
    good = _signed(key, "good")
    t.ok(wait_until(lambda: _judge(filter_, good)[0] == ["pass"], 20, 0.2),
         "%d: DNS answers again, and so do we" % count)


def burst_of_50(t, env):
    """50 sessions reach end of message in one poll round, DNS dead"""
    _burst(t, env, 50)


def burst_of_100(t, env):
    """100 sessions reach end of message in one poll round, DNS dead"""
    _burst(t, env, 100)


def progress_in_time(t, env):
    """a wait longer than 3 s sends progress, for Sendmail's R timeout"""
    key = _key(env)
    server = dns.Server(env)
    server.default = dns.drop()
    filter_ = _filter(env, server, DNSTimeout="8").start()
    _, answer, took = _judge(filter_, _signed(key, "dead"))
    t.ok(6 <= took <= 11, "DNSTimeout 8 s is waited for", took)
    t.ok(1 <= answer.progress <= 3, "progress at 3 s and then every 3 s",
         answer.progress)


def dead_server_shortens_the_wait(t, env):
    """after 5 questions without answer the wait is 1 s"""
    key = _key(env)
    server = dns.Server(env, {_name("back"): key.record})
    server.default = dns.drop()
    filter_ = _filter(env, server).start()
    texts = [_signed(key, "d%d" % i) for i in range(7)]
    threads = [threading.Thread(target=_judge, args=(filter_, text))
               for text in texts[:6]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    verdicts, _, took = _judge(filter_, texts[6])
    t.eq(verdicts, ["temperror"], "the seventh is temperror")
    t.ok(took < TIMEOUT - 0.2, "after about 1 s, not DNSTimeout", took)
    back = _signed(key, "back")
    t.ok(wait_until(lambda: _judge(filter_, back)[0] == ["pass"], 20, 0.2),
         "an answer ends it")


def trust_anchor_without_dnssec(t, env):
    """a trust anchor behind a resolver that passes no DNSSEC"""
    key = _key(env)
    server = dns.Server(env, {_name("good"): key.record})
    # the root zone's KSK-2017 (IANA root-anchors.xml)
    anchor = env.write("root.key", ". IN DS 20326 8 2 E06D44B80B8F1D39A95C0B0"
                       "D7C65D08458E880409BBC683457104237C7F8EC8D\n")
    filter_ = _filter(env, server, TrustAnchorFile=anchor).start()
    verdicts, answer, _ = _judge(filter_, _signed(key, "good"))
    t.eq(verdicts, ["pass"], "keys count as insecure, not as bogus", answer)
    line = filter_.wait_log("(?i)passes no DNSSEC", 20)
    t.ok(line, "one clear error line", filter_.log())
    _judge(filter_, _signed(key, "good"))
    t.eq(filter_.log().count("passes no DNSSEC"), 1, "and only one")
    for code in (dns.NXDOMAIN, dns.REFUSED, dns.SERVFAIL):
        filter_.kill()
        server.zone[""] = dns.rcode(code)
        mark = filter_.mark()
        filter_.start()
        verdicts, _, _ = _judge(filter_, _signed(key, "good"))
        t.eq(verdicts, ["pass"], "the root answers rcode %d: pass" % code)
        t.match(r"^<[34]>.*" + re.escape(server.address),
                filter_.since(mark), "and the log names the resolver")
    filter_.stop()
    filter_.configure(TrustAnchorFile=env.path("no-such-file"))
    mark = filter_.mark()
    filter_.start()
    t.match("no-such-file", filter_.since(mark),
            "a missing anchor file is a warning")
    verdicts, _, _ = _judge(filter_, _signed(key, "good"))
    t.eq(verdicts, ["pass"], "and the filter works")


tap.run(each_fault, what_the_mta_is_told, burst_of_50, burst_of_100,
        progress_in_time, dead_server_shortens_the_wait,
        trust_anchor_without_dnssec)
