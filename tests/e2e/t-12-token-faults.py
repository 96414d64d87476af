#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Faults of PKCS#11 tokens: what the MTA is told, what the log says, and that
it is over without a restart. SoftHSM2, NSS softokn, and a module that fails
as it is told."""

import os
import re
import signal
import threading
import time

from harness import keys, tap, token
from harness.env import wait_until
from harness.site import Site
from harness.token_site import ask, judge, make_site, reply, verdict


def _expect(t, site, name, log, mark=0):
    t.eq(verdict(site), "451", name + ": the MTA is told 451")
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
    t.eq(verdict(site, "x@pem.example"), "pass", "a PEM key signs")
    hsm.token("mail")
    # SoftHSM lists its tokens when it is started
    t.ok(wait_until(lambda: "such key" in site.filter.log() or
                    verdict(site) != "451" or
                    "no private key matches" in site.filter.log(), 15, 0.3),
         "the token that came is seen", site.filter.log()[-1500:])
    _expect(t, site, "object missing", "no private key matches the URI")
    hsm.put(key, "k", number="01")
    t.ok(wait_until(lambda: verdict(site) == "pass", 15, 0.3),
         "the object that came is used, without a restart")
    mark = site.filter.mark()
    aside = hsm.folder + ".aside"
    os.rename(hsm.folder, aside)
    t.ok(wait_until(lambda: verdict(site) == "451", 10, 0.2),
         "device removed: the MTA is told 451")
    t.eq(verdict(site, "x@pem.example"), "pass", "a PEM key signs")
    os.rename(aside, hsm.folder)
    t.ok(wait_until(lambda: verdict(site) == "pass", 20, 0.3),
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
    t.ok(wait_until(lambda: verdict(site) == "pass", 15, 0.3),
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
    t.ok(wait_until(lambda: verdict(site) == "pass", 10, 0.3),
         "the right PIN and a reload: signed", site.filter.log()[-2000:])
    site.filter.kill()
    fake.tell(lines + ["flags 40000"])
    site.filter.start()
    _expect(t, site, "PIN locked", "PIN.*lock")


def wrong_pins(t, env):
    """SoftHSM2 and NSS: a wrong PIN, its file mended, a reload"""
    for hsm in (token.SoftHsm(env), token.Nss(env)):
        hsm.token()
        token.pin_file(env)
        site = make_site(env, hsm, hsm.make("example.com", "k"), mta=None)
        name = type(hsm).__name__
        token.pin_file(env, text="wrong-5t0x9")
        start = site.filter.mark()
        site.start()
        for _ in range(3):
            _expect(t, site, name + ": wrong PIN", "is not tried again")
        for pid in token.processes(site.filter.proc.pid):
            os.kill(pid, signal.SIGKILL)
        _expect(t, site, name + ": and in a new process", "is up again")
        t.eq(len(re.findall("refused its PIN", site.filter.since(start))), 1,
             name + ": refused once", site.filter.since(start))
        t.no_match("5t0x9|kq7f0c", site.filter.log(), name + ": no PIN told")
        token.pin_file(env)
        t.eq(verdict(site), "451", name + ": the file is right, not yet"
             " looked at")
        mark = site.filter.mark()
        site.filter.signal(signal.SIGUSR1)
        site.filter.wait_log("reloaded", mark=mark)
        t.ok(wait_until(lambda: verdict(site) == "pass", 10, 0.3),
             name + ": after a reload it signs", site.filter.since(mark))
        site.filter.stop()


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
    t.eq(verdict(site, "x@pem.example"), "pass", "a PEM key signs")
    site.filter.configure(PKCS11Module=module)
    site.filter.signal(signal.SIGUSR1)
    t.ok(wait_until(lambda: verdict(site) == "pass", 15, 0.3),
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
            code, got, took = ask(site.filter)
            results.append(judge(site, got) if code == "accepted"
                           else reply(got))
            longest = max(longest, took)
            began = time.monotonic()
            t.eq(verdict(site, "x@pem.example"), "pass",
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
    t.eq(verdict(site), "pass", "signed before")
    stopped = token.processes(site.filter.proc.pid)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    results = []
    threads = [threading.Thread(target=lambda: results.append(
        ask(site.filter))) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    longest = 0
    for _ in range(30):
        code, got, took = ask(site.filter, "x@pem.example")
        longest = max(longest, took)
        if code != "accepted" or judge(site, got) != "pass":
            break
    t.eq(code, "accepted", "PEM keys sign")
    t.ok(longest < 1, "at once", longest)
    for thread in threads:
        thread.join(40)
    t.eq(len(results), 8, "each was answered")
    codes = [judge(site, g) if c == "accepted" else reply(g)
             for c, g, _ in results]
    t.eq(set(codes) - {"pass", "451"}, set(), "signed, or 451", codes)
    t.note("while it hung: %s" % codes)
    t.ok(wait_until(lambda: verdict(site) == "pass", 20, 0.3),
         "it signs again, without a restart")
    t.ok(not set(stopped) & set(token.processes(site.filter.proc.pid)),
         "in a new process")


tap.run(faults_of_tokens, faults_of_pins, wrong_pins, faults_of_modules,
        hang_holds_nobody_up, limit=200)
