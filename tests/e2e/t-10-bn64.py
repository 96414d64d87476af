#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""RSABackend bn64: every signature of a load of mixed keys is right."""

import collections
import re
import threading

from harness import keys, mail, milter, peers, tap
from harness.daemon import Filter
from harness.env import run
from harness.site import Site
from harness.smtp import message

# name, kind, bits, signatures of its size that the load has
KEYS = (("k1024", "rsa", 1024), ("k1148", "rsa", 1148),
        ("k1536", "rsa", 1536), ("k2048", "rsa", 2048),
        ("k3072", "rsa", 3072), ("k4096", "rsa", 4096),
        ("ked", "ed25519", 0))
SESSIONS, EACH = 20, 100


def _tables(env):
    made = [keys.make(env, name + ".example", name, kind, bits)
            for name, kind, bits in KEYS]
    key_table = env.write("kt", "".join(
        "%s %s:%s:%s\n" % (k.selector, k.domain, k.selector, k.path)
        for k in made))
    signing_table = env.write("st", "".join(
        "*@%s %s\n" % (k.domain, k.selector) for k in made))
    return made, {"Mode": "sv", "Domain": None, "Selector": None,
                  "KeyFile": None, "KeyTable": "file:" + key_table,
                  "SigningTable": "refile:" + signing_table}


def _session(site, number, refused):
    with site.client() as c:
        for i in range(EACH):
            name = KEYS[(number + i) % len(KEYS)][0]
            sender = "s@%s.example" % name
            rcpt = "r%d-%d@dest.example" % (number, i)
            text = message(sender, rcpt, "load %d %d" % (number, i),
                           "Line of %d in %d.\r\n" % (i, number) * (i % 9))
            reply = c.send(sender, rcpt, text)
            if not reply.startswith("250"):
                refused.append(reply)


def _load(t, site):
    refused = []
    threads = [threading.Thread(target=_session, args=(site, n, refused))
               for n in range(SESSIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    t.eq(refused, [], "all %d accepted" % (SESSIONS * EACH))


def _judge(site, number, i):
    copies = site.sink.wait("r%d-%d@dest.example" % (number, i), 1, 0)
    if len(copies) != 1:
        return "%d copies" % len(copies)
    return ",".join(peers.verify_dkimpy(copies[0].data, site.zone)) or \
        "unsigned"


def _passes(log):
    """The histogram of the last line of counters."""
    lines = [s for s in log.splitlines() if "counters: " in s]
    return {int(n): int(count) for n, count in re.findall(
        r"sign_pass_(\d+)=(\d+)", lines[-1] if lines else "")}


def load_of_mixed_keys(t, env):
    """2,000 messages from 20 sessions, keys of seven kinds"""
    made, options = _tables(env)
    site = Site(env, dict(options, RSABackend="bn64"))
    site.zone.update(keys.zone(*made))
    site.start()
    found = re.search(r"backend (bn64:\w+)", site.filter.log())
    t.ok(found, "the log names the path", site.filter.log())
    t.note("path: %s" % (found and found.group(1)))
    _load(t, site)
    site.sink.wait(None, SESSIONS * EACH, 120)
    results = collections.Counter(
        _judge(site, n, i) for n in range(SESSIONS) for i in range(EACH))
    t.eq(dict(results), {"pass": SESSIONS * EACH},
         "each has one copy, with a signature that dkimpy verifies")
    t.eq(site.filter.stop(), 0, "the filter stops")
    log = site.filter.log()
    t.no_match("sign_faults=[1-9]", log, "none was wrong at its check")
    passes = _passes(log)
    t.ok(sum(n * count for n, count in passes.items()) == SESSIONS * EACH,
         "the histogram of passes has them all", passes)
    t.note("passes by signatures: %s" % passes)


def _sign(session, number, name):
    session.connect()
    sender = "s@%s.example" % name
    text = message(sender, "r@dest.example", "same %d" % number)
    answer = session.message(text)
    return mail.values(milter.apply(text, answer.changes),
                       "DKIM-Signature")[0]


def same_as_libcrypto(t, env):
    """for one message and time, all backends write one signature"""
    _, options = _tables(env)
    names = ["libcrypto", "bn64:portable", "bn64:emulated"]
    with open("/proc/cpuinfo") as f:
        flags = set(re.search(r"^(?:flags|Features)\s*:(.*)$", f.read(),
                              re.M).group(1).split())
    for name, needs in (("bn64:adx", {"adx", "bmi2"}),
                        ("bn64:ifma", {"avx512ifma", "avx512dq"})):
        if needs <= flags:
            names.append(name)
        else:
            t.skip(name, "this processor has no %s" % " ".join(needs))
    filters = [Filter(env, dict(options, RSABackend=name),
                      name=name.replace(":", "-")).start() for name in names]
    for f, name in zip(filters, names):
        # the socket is there before the line is
        f.wait_log("^<6>ready: ")
        t.match("backend %s," % name, f.log(), name + " runs")
    for i, (key, _, _) in enumerate(KEYS):
        for _ in range(50):
            fields = []
            for f in filters:
                with milter.Session(f.socket) as session:
                    fields.append(_sign(session, i, key))
            times = {re.search(r"\bt=(\d+)", s).group(1) for s in fields}
            if len(times) == 1:
                break
        t.eq(len(times), 1, key + ": all were signed in one second")
        t.eq(len(set(fields)), 1, key + ": the same octets from all",
             *set(fields))


def refuses_words(t, env):
    """a backend that there is not is told before the start"""
    f = Filter(env, {"Domain": "example.com", "Selector": "r",
                     "Mode": "v", "RSABackend": "bn64:mmx"})
    code, text = f.attempt()
    t.eq(code, 78, "exit code of the start")
    t.match(r"RSABackend: \"bn64:mmx\": wanted is libcrypto, bn64", text,
            "it says which there are")
    done = run([env.program("dkimd"), "-n", "-x", f.conf])
    t.eq(done.returncode, 78, "exit code of -n")


tap.run(load_of_mixed_keys, same_as_libcrypto, refuses_words)
