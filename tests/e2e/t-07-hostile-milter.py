#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Packets that no MTA sends: the session ends, the process lives."""

import os
import socket
import threading

from harness import keys, mail, milter, peers, tap
from harness.daemon import Filter
from harness.hostile import CASES, CONNECT, OPT, send
from harness.milter import packet
from harness.smtp import message

OURS = "a@example.com"


def _start(env):
    key = keys.make(env, "example.com", "r", bits=1024)
    filter_ = Filter(env, {"Domain": "example.com", "Selector": "r",
                           "KeyFile": key.path}).start()
    return filter_, keys.zone(key)


def _signs(filter_, zone, timeout=10):
    text = message(OURS, "b@dest.example", "good")
    with milter.Session(filter_.socket, timeout=timeout) as s:
        s.connect()
        copy = milter.apply(text, s.message(text, sender=OURS).changes)
    return peers.verify_dkimpy(copy, zone) == ["pass"]


def one_by_one(t, env):
    """each malformed input on a connection of its own"""
    filter_, zone = _start(env)
    pid = filter_.milter_pid()
    t.ok(_signs(filter_, zone), "control: a good message is signed")
    for name, octets in CASES.items():
        fate = send(filter_.socket, octets)
        t.ok(fate == "closed" and filter_.milter_pid() == pid,
             name + ": the session ends, the process lives", fate,
             filter_.milter_pid())
        if not filter_.alive():
            t.ok(False, "the filter died of: " + name)
            return
    t.ok(_signs(filter_, zone), "a good message is signed after all that")


def twenty_at_once(t, env):
    """20 sessions of each kind at once, good mail in between"""
    filter_, zone = _start(env)
    pid = filter_.milter_pid()
    signed = []
    for name, octets in CASES.items():
        threads = [threading.Thread(target=send, args=(
            filter_.socket, octets)) for _ in range(20)]
        for thread in threads:
            thread.start()
        signed.append((name, _signs(filter_, zone)))
        for thread in threads:
            thread.join()
        if filter_.milter_pid() != pid or not filter_.alive():
            break
    t.eq([n for n, good in signed if not good], [],
         "good mail was signed beside each kind")
    t.eq(len(signed), len(CASES), "all kinds were tried", signed[-1])
    t.eq((filter_.alive(), filter_.milter_pid()), (True, pid),
         "the process lives")
    t.ok(_signs(filter_, zone), "and signs")
    fds = len(os.listdir("/proc/%d/fd" % pid))
    t.ok(fds < 60, "no descriptors were left behind", fds)


def _tries_signed(filter_, zone, tries):
    """How many of some fresh connections got their message signed."""
    signed = 0
    for _ in range(tries):
        try:
            signed += _signs(filter_, zone, 3)
        except (OSError, milter.Closed):
            pass
    return signed


def stalled_sessions(t, env):
    """20 sessions that stop in mid-packet do not stop the service"""
    filter_, zone = _start(env)
    stalled = []
    for _ in range(20):
        s = socket.socket(socket.AF_UNIX)
        s.connect(filter_.socket)
        s.sendall(OPT + packet(b"C", CONNECT)[:7])
        stalled.append(s)
    # Debian's libmilter keeps a worker for each half packet and can let a
    # new session wait behind one; the next session starts another worker
    got = _tries_signed(filter_, zone, 5)
    t.note("%d of 5 signed beside 20 stalled sessions" % got)
    t.ok(got >= 3, "good mail is signed meanwhile", got)
    for s in stalled:
        s.close()
    t.ok(_signs(filter_, zone), "and after they are gone")


def crowd(t, env):
    """300 open sessions; descriptors run out without a spin"""
    filter_, zone = _start(env)
    held = []
    for _ in range(300):
        s = milter.Session(filter_.socket, timeout=10)
        s.connect()
        held.append(s)
    t.ok(_signs(filter_, zone), "a message among 300 open sessions")
    for s in held:
        s.quit()
    t.ok(_signs(filter_, zone), "and after they left")


def hostile_content(t, env):
    """messages made to hurt: fields, addresses, signatures without end"""
    filter_, zone = _start(env)
    pid = filter_.milter_pid()
    junk_sig = ("DKIM-Signature: v=1; a=rsa-sha256; d=%s; s=s; h=from; "
                "bh=AAAA; b=" + "A" * 400)
    texts = {
        "1000 signatures": message("x@example.net", "b@dest.example", extra=[
            junk_sig % ("d%d.example" % i) for i in range(1000)]),
        "eeee": message("x@example.net", "b@dest.example",
                        extra=["DKIM-Signature: eeee"]),
        "10001 fields": message("x@example.net", "b@dest.example",
                                extra=["X: y"] * 10001),
        "a field of 60000": message("x@example.net", "b@dest.example",
                                    extra=["X: " + "y" * 60000]),
        "h= of 20000 names": message("x@example.net", "b@dest.example", extra=[
            "DKIM-Signature: v=1; a=rsa-sha256; d=e.example; s=s; bh=AA; b=AA;"
            " h=from" + ":subject" * 7000]),
        "domain with junk": message("x@example.net", "b@dest.example", extra=[
            junk_sig % "example.net(.x.org"]),
        "control octets": message("x@example.net", "b@dest.example", extra=[
            junk_sig % "exa\x01mple.net", "Subject: \x7f\x1b[2J"]),
        "From of quotes": message('"' * 20000 + "@example.com",
                                  "b@dest.example"),
        "From of brackets": message("<" * 20000, "b@dest.example"),
        "From of comments": message("(" * 20000 + "a@example.com",
                                    "b@dest.example"),
        "Authentication-Results without end": message(
            "x@example.net", "b@dest.example",
            extra=["Authentication-Results: mta.example.com" + "; dkim=pass"
                   * 5000] * 20),
    }
    for name, text in texts.items():
        with milter.Session(filter_.socket, timeout=30) as s:
            s.connect(addr="198.51.100.1")
            try:
                answer = s.message(text, sender="x@example.net")
                code = answer.code
            except milter.Closed:
                code = "closed"
        t.ok(code in "actry" and filter_.milter_pid() == pid,
             name + ": an answer, and the process lives", code)
        if code not in "ac":
            continue
        copy = milter.apply(text, answer.changes)
        ours = [v for k, n, h, v in answer.changes
                if h == "Authentication-Results" and v]
        worst = max([len(line) for v in ours for line in v.split(b"\n")]
                    or [0])
        t.ok(worst <= 998, name + ": no line of our result over 998", worst)
        t.no_match("(?i)dkim=pass", "\n".join(
            "%s" % v for v in mail.verdicts(copy)), name + ": no pass")
        bad = [v for v in ours if any(c < 32 and c not in b"\n\t" or c == 127
                                      for c in v)]
        t.eq(bad, [], name + ": no control octets in our result")
    t.no_match(r"[\x00-\x08\x0b-\x1f\x7f]", filter_.log(),
               "no control octets in the log")
    t.ok(_signs(filter_, zone), "a good message is signed after all that")


tap.run(one_by_one, twenty_at_once, stalled_sessions, crowd, hostile_content)
