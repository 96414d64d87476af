# SPDX-License-Identifier: BSD-2-Clause
"""A site whose key is in a token: what the tests of tokens ask it, and a load
that goes through Postfix and is looked at afterwards."""

import threading
import time

from . import keys, milter, peers
from .site import OURS, Site
from .smtp import message


def make_site(env, hsm, key, options=None, **kw):
    made = Site(env, dict(hsm.options, Selector=key.selector,
                          KeyFile=key.path, **(options or {})), **kw)
    made.zone.update(keys.zone(key))
    return made


def judge(site, copy):
    return ",".join(peers.verify_dkimpy(copy, site.zone)) or "unsigned"


def ask(f, sender=OURS, text=None):
    """One message past the filter; (reply code, copy or reply, seconds)."""
    text = text or message(sender, "b@dest.example", "probe")
    began = time.monotonic()
    with milter.Session(f.socket) as s:
        s.connect()
        answer = s.message(text, sender=sender)
    took = time.monotonic() - began
    if answer.code in "ac":
        return "accepted", milter.apply(text, answer.changes), took
    return answer.code, answer.data, took


def verdict(site, sender=OURS):
    """pass, unsigned, or what the MTA is told."""
    code, got, _ = ask(site.filter, sender)
    return judge(site, got) if code == "accepted" else reply(got)


def reply(data):
    """The reply code of a milter's answer."""
    return bytes(data or b"")[:3].decode("ascii", "replace") or "tempfail"


class Load:
    """Senders that try again what is refused for now, as an MTA does."""

    def __init__(self, site, threads=4, senders=(OURS,)):
        self.site, self.stop = site, threading.Event()
        self.senders = senders
        self.made, self.refused, self.lost = [], [], []
        self.threads = [threading.Thread(target=self._run, args=(i,))
                        for i in range(threads)]
        for thread in self.threads:
            thread.start()

    def _run(self, number):
        count = 0
        while not self.stop.is_set():
            rcpt = "l%d-%d@dest.example" % (number, count)
            self._send(rcpt, self.senders[count % len(self.senders)])
            count += 1

    def _send(self, rcpt, sender):
        text = message(sender, rcpt, "load " + rcpt)
        for _ in range(60):
            try:
                reply = self.site.send(text, sender=sender, rcpts=rcpt)
            except Exception as why:
                reply = repr(why)
            if reply.startswith("250"):
                self.made.append(rcpt)
                return
            self.refused.append(reply)
            time.sleep(0.5)
        self.lost.append(rcpt)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(60)

    def check(self, t, least):
        self.end()
        made, site = self.made, self.site
        t.note("%d messages, %d refused for now: %s" % (
            len(made), len(self.refused), sorted(set(self.refused))))
        t.ok(len(made) >= least, "the load was one", len(made))
        t.eq(self.lost, [], "each was accepted in the end")
        t.eq([r for r in self.refused if not r.startswith("4")], [],
             "none was refused for good")
        site.sink.wait(None, len(made), 30)
        copies = {m.rcpts[0]: m.data for m in site.sink.mails}
        t.eq(sorted(copies), sorted(made), "none was lost")
        t.eq(len(site.sink.mails), len(made), "none was delivered twice")
        bad = {r: judge(site, c) for r, c in copies.items()
               if judge(site, c) != "pass"}
        t.eq(bad, {}, "none unsigned, all verify")
        return copies
