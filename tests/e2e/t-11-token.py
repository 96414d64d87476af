#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Keys in PKCS#11 tokens: through Postfix, under load, and what the MTA sees
when something is wrong. Private halves are in SoftHSM2 alone; other people's
programs verify."""

import os
import re
import signal
import threading
import time

from harness import keys, mail, milter, peers, tap, token
from harness.daemon import Filter
from harness.env import run, wait_until
from harness.site import OURS, Site
from harness.smtp import message


def _site(env, hsm, key, options=None, **kw):
    site = Site(env, dict(hsm.options, Selector=key.selector,
                          KeyFile=key.path, **(options or {})), **kw)
    site.zone.update(keys.zone(key))
    return site


def _judge(site, copy):
    return ",".join(peers.verify_dkimpy(copy, site.zone)) or "unsigned"


def _ask(f, sender=OURS, text=None):
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


def _verdict(site, sender=OURS):
    """pass, unsigned, or what the MTA is told."""
    code, got, _ = _ask(site.filter, sender)
    return _judge(site, got) if code == "accepted" else _reply(got)


def _reply(data):
    """The reply code of a milter's answer."""
    return bytes(data or b"")[:3].decode("ascii", "replace") or "tempfail"


def signs(t, env):
    """a key in SoftHSM2, signed through Postfix, verified by two others"""
    hsm = token.SoftHsm(env)
    hsm.token()
    site = _site(env, hsm, hsm.make("example.com", "rsa1")).start()
    for i in range(20):
        rcpt = "s%d@dest.example" % i
        copy = site.through(message(OURS, rcpt, "token %d" % i,
                                    "Line.\r\n" * i), rcpt)
        if not i:
            t.eq(peers.verify_maildkim(env, copy, site.zone), ["pass"],
                 "Mail::DKIM verifies")
        results = _judge(site, copy)
        if results != "pass":
            break
    t.eq(results, "pass", "dkimpy verifies all of 20")
    pid = site.filter.milter_pid()
    helpers = token.processes(site.filter.proc.pid)
    t.eq(len(helpers), 1, "one process of dkimd-token")
    t.ok("softhsm" in token.maps(helpers[0]), "which has loaded the module")
    t.no_match("softhsm|p11-kit", token.maps(pid), "and dkimd has not")
    descriptors = sorted(os.listdir("/proc/%d/fd" % helpers[0]))
    t.ok(descriptors[:4] == ["0", "1", "2", "3"], "its descriptors",
         descriptors)
    sockets = [d for d in descriptors if os.readlink("/proc/%d/fd/%s" % (
        helpers[0], d)).startswith("socket:")]
    t.ok(len(sockets) <= 8, "no connection of the milter is among them",
         sockets)
    uids = open("/proc/%d/status" % helpers[0]).read()
    t.match(r"Uid:\s+%d\s" % env.user.uid, uids, "it runs as UserID")
    for one in helpers + [pid, site.filter.proc.pid]:
        t.ok(not token.has_secret(one, token.PIN), "no PIN in the list of"
             " processes")
    t.ok(not token.strings(site.filter.logfile, token.PIN),
         "no PIN in the log")
    t.eq(site.filter.stop(), 0, "it stops")
    t.ok(wait_until(lambda: not os.path.exists("/proc/%d" % helpers[0]), 5),
         "and dkimd-token has ended")


def mixed_table(t, env):
    """one KeyTable: RSA and Ed25519 in a token, and PEM files"""
    hsm = token.SoftHsm(env)
    hsm.token()
    hsm.token("other")
    made = [hsm.make("a.example", "a"),
            hsm.make("b.example", "b", token="other"),
            keys.make(env, "c.example", "c"),
            keys.make(env, "d.example", "d", "ed25519")]
    key_table = env.write("kt", "".join("%s %s:%s:%s\n" % (
        k.selector, k.domain, k.selector, k.path) for k in made))
    signing_table = env.write("st", "".join("*@%s %s\n" % (
        k.domain, k.selector) for k in made))
    site = Site(env, dict(hsm.options, Domain=None, Selector=None,
                          KeyFile=None, KeyTable="file:" + key_table,
                          SigningTable="refile:" + signing_table), mta=None)
    site.zone.update(keys.zone(*made))
    site.start()
    for k in made:
        t.eq(_verdict(site, "x@" + k.domain), "pass", k.domain)
    t.ok(site.filter.wait_log("CheckSigningTable: 4 keys loaded, 0 at fault"),
         "all were loaded after the start", site.filter.log())
    done = run([env.program("dkimd"), "-n", "-v", "-x", site.filter.conf])
    t.eq(done.returncode, 0, "dkimd -n is content", done.stderr.decode())
    t.match("4 keys loaded", done.stdout.decode(), "and has loaded them")
    zone = env.write("zone", "".join("%s\t%s\n" % kv
                                     for kv in site.zone.items()))
    done = run([env.program("dkim"), "keycheck", "--config",
                site.filter.conf, "--dns", zone])
    t.eq(done.returncode, 0, "dkim keycheck agrees", done.stdout.decode(),
         done.stderr.decode())


class Load:
    """Senders that try again what is refused for now, as an MTA does."""

    def __init__(self, site, threads=4):
        self.site, self.stop = site, threading.Event()
        self.made, self.refused, self.lost = [], [], []
        self.threads = [threading.Thread(target=self._run, args=(i,))
                        for i in range(threads)]
        for thread in self.threads:
            thread.start()

    def _run(self, number):
        count = 0
        while not self.stop.is_set():
            rcpt = "l%d-%d@dest.example" % (number, count)
            count += 1
            self._send(rcpt)

    def _send(self, rcpt):
        text = message(OURS, rcpt, "load " + rcpt)
        for _ in range(60):
            try:
                reply = self.site.send(text, rcpts=rcpt)
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
        bad = {r: _judge(site, c) for r, c in copies.items()
               if _judge(site, c) != "pass"}
        t.eq(bad, {}, "none unsigned, all verify")
        return copies


def restart_under_load(t, env):
    """dkimd-token is killed, and stopped, again and again under load"""
    hsm = token.SoftHsm(env)
    hsm.token()
    site = _site(env, hsm, hsm.make("example.com", "rsa1"),
                 {"PKCS11Timeout": "2"}).start()
    load = Load(site)
    wait_until(lambda: len(load.made) > 10, 20)
    seen = set()
    for i in range(5):
        helpers = token.processes(site.filter.proc.pid)
        seen.update(helpers)
        for pid in helpers:
            os.kill(pid, signal.SIGSTOP if i == 3 else signal.SIGKILL)
        time.sleep(4 if i == 3 else 1)
    wait_until(lambda: token.processes(site.filter.proc.pid), 10)
    seen.update(token.processes(site.filter.proc.pid))
    mark = len(load.made)
    t.ok(wait_until(lambda: len(load.made) > mark + 10, 30),
         "it goes on without a restart of dkimd")
    load.check(t, 50)
    t.ok(len(seen) >= 5, "there were several processes", seen)
    t.match("does not answer in time and is killed", site.filter.log(),
            "the one that hung was killed")
    t.ok(site.filter.alive(), "dkimd lives")


def switch_under_load(t, env):
    """RSABackend libcrypto, bn64, pkcs11 by turns, reloaded under load"""
    hsm = token.SoftHsm(env)
    hsm.token()
    site = Site(env, dict(
        hsm.options, PKCS11Token="pkcs11:token=mail?pin-source=" + hsm.pin,
        RSABackend="libcrypto")).start()
    load = Load(site)
    names = ("libcrypto", "bn64", "pkcs11")
    began, turns = time.monotonic(), 0
    while turns < 9 or (len(load.made) < 60 and
                        time.monotonic() - began < 60):
        mark = site.filter.mark()
        name = names[(turns + 1) % 3]
        site.filter.configure(RSABackend=name)
        site.filter.signal(signal.SIGUSR1)
        if not site.filter.wait_log("configuration reloaded: 0 rows .*"
                                    "backend " + name, mark=mark):
            break
        turns += 1
        time.sleep(0.6)
    t.ok(turns >= 9, "%d reloads, none failed" % turns,
         site.filter.since(mark))
    load.check(t, 60)
    t.ok(not load.refused, "not one was refused, even for now")
    t.no_match("at fault [^,]*[1-9]", site.filter.log(), "no key at fault")


def same_signatures(t, env):
    """for one message and time the three backends write the same octets"""
    hsm = token.SoftHsm(env)
    hsm.token()
    made = [keys.make(env, "k%d.example" % bits, "k%d" % bits, bits=bits)
            for bits in (1024, 2048, 4096)]
    made.append(keys.make(env, "ked.example", "ked", "ed25519"))
    key_table = env.write("kt", "".join("%s %s:%s:%s\n" % (
        k.selector, k.domain, k.selector, k.path) for k in made))
    signing_table = env.write("st", "".join("*@%s %s\n" % (
        k.domain, k.selector) for k in made))
    options = dict(
        hsm.options, Mode="s", KeyTable="file:" + key_table,
        SigningTable="refile:" + signing_table,
        PKCS11Token="pkcs11:token=mail?pin-source=" + hsm.pin)
    filters = [Filter(env, dict(options, RSABackend=name), name=name).start()
               for name in ("libcrypto", "bn64", "pkcs11")]
    for k in made:
        for attempt in range(40):
            text = message("s@" + k.domain, "r@dest.example", "same")
            fields = [mail.values(_ask(f, "s@" + k.domain, text)[1],
                                  "DKIM-Signature")[0] for f in filters]
            if len({re.search(r"\bt=(\d+)", s).group(1)
                    for s in fields}) == 1:
                break
        t.eq(len(set(fields)), 1, k.domain + ": the same octets", *set(fields))
    helpers = [len(token.processes(f.proc.pid)) for f in filters]
    t.eq(helpers, [0, 0, 1], "the third one made them in a token")


def _expect(t, site, name, log, mark=0):
    t.eq(_verdict(site), "451", name + ": the MTA is told 451")
    t.ok(site.filter.wait_log(log, mark=mark), name + ": the log says why",
         site.filter.since(mark))


def faults_of_tokens(t, env):
    """absent, object missing, two of one name, gone and back"""
    hsm = token.SoftHsm(env)
    hsm.token("first")
    key = keys.make(env, "example.com", "k", folder="imported")
    pem = keys.make(env, "pem.example", "p")
    uri = hsm.uri("k", "mail")
    site = Site(env, dict(
        hsm.options, Domain=None, Selector=None, KeyFile=None,
        KeyTable="file:" + env.write("kt", "k example.com:k:%s\n"
                                     "p pem.example:p:%s\n" % (
                                         uri, pem.path)),
        SigningTable="refile:" + env.write(
            "st", "*@example.com k\n*@pem.example p\n")), mta=None)
    site.zone.update(keys.zone(key, pem))
    site.start()
    _expect(t, site, "token absent at the start", "has no token that the URI")
    t.eq(_verdict(site, "x@pem.example"), "pass", "a PEM key signs")
    hsm.token("mail")
    # SoftHSM lists its tokens when it is started
    t.ok(wait_until(lambda: "such key" in site.filter.log() or
                    _verdict(site) != "451" or
                    "no private key matches" in site.filter.log(), 15, 0.3),
         "the token that came is seen", site.filter.log()[-1500:])
    _expect(t, site, "object missing", "no private key matches the URI")
    hsm.put(key, "k", number="01")
    t.ok(wait_until(lambda: _verdict(site) == "pass", 15, 0.3),
         "the object that came is used, without a restart")
    mark = site.filter.mark()
    aside = hsm.folder + ".aside"
    os.rename(hsm.folder, aside)
    t.ok(wait_until(lambda: _verdict(site) == "451", 10, 0.2),
         "device removed: the MTA is told 451")
    t.eq(_verdict(site, "x@pem.example"), "pass", "a PEM key signs")
    os.rename(aside, hsm.folder)
    t.ok(wait_until(lambda: _verdict(site) == "pass", 20, 0.3),
         "device back: signed, without a restart", site.filter.since(mark))
    text = site.filter.since(mark)
    t.ok(1 <= len(re.findall("is of no use now", text)) <= 2 and
         len(re.findall("is back", text)) >= 1,
         "gone and back are told, once each", text)
    other = keys.make(env, "example.com", "k2", folder="imported")
    hsm.put(other, "k", number="02")
    site.filter.kill()
    site.filter.start()
    _expect(t, site, "two of one label", "more than one key of the token"
            " matches")
    hsm.delete("02")
    t.ok(wait_until(lambda: _verdict(site) == "pass", 15, 0.3),
         "one of them went: signed")


def faults_of_pins(t, env):
    """a wrong PIN is tried once, whatever happens; a locked one never"""
    key = keys.make(env, "example.com", "k")
    lines = ["token mail 1", "key k 01 " + key.path, "public k 01 " + key.path,
             "pin 1234"]
    fake = token.Fake(env, lines)
    token.pin_file(env, text="9999")
    site = Site(env, dict(fake.options, Selector="k", KeyFile=fake.uri("k")),
                mta=None)
    site.zone.update(keys.zone(key))
    site.start()
    for _ in range(3):
        _expect(t, site, "wrong PIN", "PIN")
    # From here on a login would be seen: it ends the process
    fake.tell(lines + ["at C_Login 1+ crash"])
    for pid in token.processes(site.filter.proc.pid):
        os.kill(pid, signal.SIGKILL)
    _expect(t, site, "and after a restart of dkimd-token", "is up again")
    mark = site.filter.mark()
    site.filter.signal(signal.SIGUSR1)
    site.filter.wait_log("reloaded", mark=mark)
    _expect(t, site, "and after a reload", "PIN")
    t.eq(len(re.findall("refused its PIN", site.filter.log())), 1,
         "told once in all", site.filter.log())
    t.no_match("killed by signal 6", site.filter.log(),
               "and tried once in all")
    fake.tell(lines)
    t.no_match("9999|1234", site.filter.log(), "no PIN in the log")
    token.pin_file(env, text="1234")
    mark = site.filter.mark()
    site.filter.signal(signal.SIGUSR1)
    site.filter.wait_log("reloaded", mark=mark)
    t.ok(wait_until(lambda: _verdict(site) == "pass", 10, 0.3),
         "the right PIN and a reload: signed", site.filter.log()[-2000:])
    site.filter.kill()
    fake.tell(lines + ["flags 40000"])
    site.filter.start()
    _expect(t, site, "PIN locked", "PIN.*lock")


def faults_of_modules(t, env):
    """missing, no module, hangs, crashes"""
    key = keys.make(env, "example.com", "k")
    pem = keys.make(env, "pem.example", "p")
    lines = ["token mail 1", "key k 01 " + key.path, "public k 01 " + key.path,
             "pin 1234"]
    fake = token.Fake(env, lines)
    site = Site(env, dict(
        fake.options, PKCS11Timeout="2", Domain=None, Selector=None,
        KeyFile=None, KeyTable="file:" + env.write(
            "kt", "k example.com:k:%s\np pem.example:p:%s\n" % (
                fake.uri("k"), pem.path)),
        SigningTable="refile:" + env.write(
            "st", "*@example.com k\n*@pem.example p\n")), mta=None)
    site.zone.update(keys.zone(key, pem))
    module = site.filter.options["PKCS11Module"]
    site.filter.configure(PKCS11Module="/nonexistent/p11.so")
    code, text = site.filter.attempt()
    t.eq(code, 78, "module missing: it does not start")
    t.match(r"PKCS11Module: \"/nonexistent/p11.so\": No such file", text,
            "and says why")
    site.filter.configure(PKCS11Module=env.write("none.so", "no module\n"))
    site.start()
    _expect(t, site, "no module", "cannot be loaded: .*none.so")
    t.eq(_verdict(site, "x@pem.example"), "pass", "a PEM key signs")
    site.filter.configure(PKCS11Module=module)
    site.filter.signal(signal.SIGUSR1)
    t.ok(wait_until(lambda: _verdict(site) == "pass", 15, 0.3),
         "the right module and a reload: signed", site.filter.log()[-2000:])
    # The third signature of a process hangs; then it crashes
    for action, log in (("hang", "does not answer in time and is killed"),
                        ("crash", "was killed by signal")):
        site.filter.kill()
        fake.tell(lines + ["at C_Sign 4 " + action])
        site.filter.start()
        mark = site.filter.mark()
        results, longest = [], 0
        for _ in range(6):
            code, got, took = _ask(site.filter)
            results.append(_judge(site, got) if code == "accepted"
                           else _reply(got))
            longest = max(longest, took)
            began = time.monotonic()
            t.eq(_verdict(site, "x@pem.example"), "pass",
                 action + ": a PEM key signs")
            t.ok(time.monotonic() - began < 1, action + ": at once")
        t.note("%s: %s, at most %.1f s" % (action, results, longest))
        t.eq(set(results) - {"pass", "451"}, set(),
             action + ": signed, or 451")
        t.ok("pass" in results[-3:], action + ": it recovers", results)
        t.ok(longest < 8, action + ": none waited long", longest)
        t.ok(site.filter.wait_log(log), action + ": told in the log",
             site.filter.since(mark))


def hang_holds_nobody_up(t, env):
    """while a token hangs under load, PEM keys sign as before"""
    hsm = token.SoftHsm(env)
    hsm.token()
    key, pem = hsm.make("example.com", "k"), keys.make(env, "pem.example",
                                                        "p")
    site = Site(env, dict(
        hsm.options, PKCS11Timeout="3", Domain=None, Selector=None,
        KeyFile=None, KeyTable="file:" + env.write(
            "kt", "k example.com:k:%s\np pem.example:p:%s\n" % (
                key.path, pem.path)),
        SigningTable="refile:" + env.write(
            "st", "*@example.com k\n*@pem.example p\n")), mta=None)
    site.zone.update(keys.zone(key, pem))
    site.start()
    t.eq(_verdict(site), "pass", "signed before")
    stopped = token.processes(site.filter.proc.pid)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    results = []
    threads = [threading.Thread(target=lambda: results.append(
        _ask(site.filter))) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    longest = 0
    for _ in range(30):
        code, got, took = _ask(site.filter, "x@pem.example")
        longest = max(longest, took)
        if code != "accepted" or _judge(site, got) != "pass":
            break
    t.eq(code, "accepted", "PEM keys sign")
    t.ok(longest < 1, "at once", longest)
    for thread in threads:
        thread.join(40)
    t.eq(len(results), 8, "each was answered")
    codes = [_judge(site, g) if c == "accepted" else _reply(g)
             for c, g, _ in results]
    t.eq(set(codes) - {"pass", "451"}, set(), "signed, or 451", codes)
    t.note("while it hung: %s" % codes)
    t.ok(wait_until(lambda: _verdict(site) == "pass", 20, 0.3),
         "it signs again, without a restart")
    t.ok(not set(stopped) & set(token.processes(site.filter.proc.pid)),
         "in a new process")


def generated_key(t, env):
    """dkim keygen --token, its record published, dkimd signs with it"""
    hsm = token.SoftHsm(env)
    hsm.token()
    for kind in ("rsa", "ed25519"):
        uri = hsm.uri("gen-" + kind)
        folder = env.path("records")
        os.makedirs(folder, exist_ok=True)
        os.chown(folder, env.user.uid, env.user.gid)
        done = run([env.program("dkim"), "keygen", "-d", "example.com", "-s",
                    "gen-" + kind, "--type", kind, "--token", uri,
                    "--module", hsm.module, "-D", folder],
                   **token._as_user(env))
        if not t.eq(done.returncode, 0, kind + ": made",
                    done.stderr.decode()):
            continue
        with open(os.path.join(folder, "gen-%s.txt" % kind)) as f:
            record = re.findall(r"^; (v=DKIM1.*)$", f.read(), re.M)[0]
        t.ok(not os.path.exists(os.path.join(folder,
                                             "gen-%s.private" % kind)),
             kind + ": no private key in a file")
        site = Site(env, dict(hsm.options, Selector="gen-" + kind,
                              KeyFile=uri), mta=None)
        site.zone["gen-%s._domainkey.example.com" % kind] = record
        site.start()
        t.eq(_verdict(site), "pass", kind + ": signed and verified")
        site.filter.stop()


tap.run(signs, mixed_table, restart_under_load, switch_under_load,
        same_signatures, faults_of_tokens, faults_of_pins, faults_of_modules,
        hang_holds_nobody_up, generated_key, limit=200)
