#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Keys in PKCS#11 tokens: through Postfix, under load, by all backends in
turn. Private halves are in SoftHSM2 or NSS softokn alone; other people's
programs verify. Faults: t-12-token-faults.py."""

import os
import re
import signal
import time

from harness import keys, mail, peers, tap, token
from harness.daemon import Filter
from harness.env import run, wait_until
from harness.site import OURS, Site
from harness.smtp import message
from harness.token_site import Load, ask, judge, make_site, verdict


def signs_softhsm(t, env):
    """a key in SoftHSM2, signed through Postfix, verified by two others"""
    _signs(t, env, token.SoftHsm(env), "softhsm", 20)


def signs_nss(t, env):
    """the same in NSS softokn"""
    _signs(t, env, token.Nss(env), "softokn", 5)


def _signs(t, env, hsm, library, count):
    hsm.token()
    site = make_site(env, hsm, hsm.make("example.com", "rsa1")).start()
    for i in range(count):
        rcpt = "s%d@dest.example" % i
        copy = site.through(message(OURS, rcpt, "token %d" % i,
                                    "Line.\r\n" * i), rcpt)
        if not i:
            t.eq(peers.verify_maildkim(env, copy, site.zone), ["pass"],
                 "Mail::DKIM verifies")
        results = judge(site, copy)
        if results != "pass":
            break
    t.eq(results, "pass", "dkimpy verifies all of %d" % count)
    pid = site.filter.milter_pid()
    helpers = token.processes(site.filter.proc.pid)
    t.eq(len(helpers), 1, "one process of dkimd-token")
    t.ok(library in token.maps(helpers[0]), "which has loaded the module")
    t.no_match(library + "|p11-kit", token.maps(pid), "and dkimd has not")
    descriptors = sorted(os.listdir("/proc/%d/fd" % helpers[0]))
    t.ok(descriptors[:4] == ["0", "1", "2", "3"], "its descriptors",
         descriptors)
    sockets = [d for d in descriptors if os.readlink("/proc/%d/fd/%s" % (
        helpers[0], d)).startswith("socket:")]
    t.ok(len(sockets) <= 8, "no connection of the milter is among them",
         sockets)
    uids = open("/proc/%d/status" % helpers[0]).read()
    t.match(r"Uid:\s+%d\s" % env.user.uid, uids, "it runs as UserID")
    _no_pin(t, site, helpers[0], library)
    t.ok(not token.strings(site.filter.logfile, token.PIN),
         "no PIN in the log")
    t.eq(site.filter.stop(), 0, "it stops")
    t.ok(wait_until(lambda: not os.path.exists("/proc/%d" % helpers[0]), 5),
         "and dkimd-token has ended")


def _no_pin(t, site, helper, library):
    """After the login it is in no process, and nothing else could tell."""
    for one in (helper, site.filter.milter_pid(), site.filter.proc.pid):
        t.ok(not token.has_secret(one, token.PIN), "no PIN in the list of"
             " processes")
        t.eq(token.core_limit(one), "0", "no core")
        t.eq(token.memory_with(one, token.PIN), [], "no PIN in its memory")
    # such a search does find what is there
    t.ok(token.memory_with(site.filter.milter_pid(), "?pin-source=file:"),
         "but where it lies")
    t.ok(token.memory_with(helper, library), "and the module's name")


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
        t.eq(verdict(site, "x@" + k.domain), "pass", k.domain)
    t.ok(site.filter.wait_log("CheckSigningTable: 4 keys loaded, 0 at fault"),
         "all were loaded after the start", site.filter.log())
    done = run([env.program("dkimd"), "-n", "-v", "-x", site.filter.conf])
    t.eq(done.returncode, 0, "dkimd -n is content", done.stderr.decode())
    t.match("keys loaded: 4", done.stdout.decode(), "and has loaded them")
    zone = env.write("zone", "".join("%s\t%s\n" % kv
                                     for kv in site.zone.items()))
    done = run([env.program("dkim"), "keycheck", "--config",
                site.filter.conf, "--dns", zone])
    t.eq(done.returncode, 0, "dkim keycheck agrees", done.stdout.decode(),
         done.stderr.decode())


def restart_under_load(t, env):
    """dkimd-token is killed, and stopped, again and again under load"""
    hsm = token.SoftHsm(env)
    hsm.token()
    site = make_site(env, hsm, hsm.make("example.com", "rsa1"),
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
    nss = token.Nss(env)
    options.update(nss.options, PKCS11Token=nss.place)
    filters.append(Filter(env, dict(options, RSABackend="pkcs11"),
                          name="nss").start())
    for k in made:
        if k.kind == "ed25519":
            # which NSS does not have
            t.match("^451", ask(filters.pop(), "s@" + k.domain)[1],
                    "NSS makes no Ed25519 signature")
        for attempt in range(40):
            text = message("s@" + k.domain, "r@dest.example", "same")
            fields = [mail.values(ask(f, "s@" + k.domain, text)[1],
                                  "DKIM-Signature")[0] for f in filters]
            if len({re.search(r"\bt=(\d+)", s).group(1)
                    for s in fields}) == 1:
                break
        t.eq(len(set(fields)), 1, k.domain + ": the same octets", *set(fields))
    helpers = [len(token.processes(f.proc.pid)) for f in filters]
    t.eq(helpers, [0, 0, 1], "the third one made them in a token")


def nss_under_load(t, env):
    """NSS softokn: its process is killed, backends are switched, one load"""
    nss = token.Nss(env)
    key = nss.make("example.com", "rsa1")
    pem = keys.make(env, "pem.example", "p")
    site = Site(env, dict(
        nss.options, PKCS11Timeout="2", Domain=None, Selector=None,
        KeyFile=None, PKCS11Token=nss.place,
        RSABackend="libcrypto", KeyTable="file:" + env.write(
            "kt", "k example.com:rsa1:%s\np pem.example:p:%s\n" % (
                key.path, pem.path)),
        SigningTable="refile:" + env.write(
            "st", "*@example.com k\n*@pem.example p\n")))
    site.zone.update(keys.zone(key, pem))
    site.start()
    load = Load(site, senders=(OURS, "x@pem.example"))
    seen, names = set(), ("libcrypto", "bn64", "pkcs11")
    for turn in range(6):
        mark = site.filter.mark()
        site.filter.configure(RSABackend=names[(turn + 1) % 3])
        site.filter.signal(signal.SIGUSR1)
        if not t.ok(site.filter.wait_log(
                "configuration reloaded: 0 rows .*backend " +
                names[(turn + 1) % 3], mark=mark),
                "reloaded: " + names[(turn + 1) % 3]):
            break
        wait_until(lambda: token.processes(site.filter.proc.pid), 5)
        helpers = token.processes(site.filter.proc.pid)
        seen.update(helpers)
        for pid in helpers if turn % 2 else ():
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.4)
    wait_until(lambda: len(load.made) > 30, 30)
    load.check(t, 30)
    t.ok(len(seen) >= 3, "there were several processes", seen)


def several_modules(t, env):
    """PKCS11Module is not set: keys in all tokens of p11-kit's modules"""
    soft, nss = token.SoftHsm(env), token.Nss(env)
    soft.token()
    made = [soft.make("a.example", "a"), nss.make("b.example", "b"),
            keys.make(env, "c.example", "c")]
    before = token.configured(env, soft, nss)
    site = Site(env, dict(
        soft.options, Domain=None, Selector=None, KeyFile=None,
        KeyTable="file:" + env.write("kt", "".join(
            "%s %s:%s:%s\n" % (k.selector, k.domain, k.selector, k.path)
            for k in made)),
        SigningTable="refile:" + env.write("st", "".join(
            "*@%s %s\n" % (k.domain, k.selector) for k in made))), mta=None)
    site.filter.before = before
    site.zone.update(keys.zone(*made))
    site.start()
    for k in made:
        t.eq(verdict(site, "x@" + k.domain), "pass", k.domain)
    helpers = token.processes(site.filter.proc.pid)
    t.eq(len(helpers), 1, "one process of dkimd-token")
    text = token.maps(helpers[0])
    t.ok("softhsm" in text and "softokn" in text, "with both modules")
    for pid in helpers:
        os.kill(pid, signal.SIGKILL)
    for k in made:
        t.ok(wait_until(lambda: verdict(site, "x@" + k.domain) == "pass",
                        10, 0.2), k.domain + ": again in a new process")

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
        t.eq(verdict(site), "pass", kind + ": signed and verified")
        site.filter.stop()


tap.run(signs_softhsm, signs_nss, mixed_table, restart_under_load,
        switch_under_load, nss_under_load, same_signatures, several_modules,
        generated_key, limit=300)
