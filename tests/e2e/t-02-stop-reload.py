#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Stop and reload under load: no message lost, none unsigned."""

import os
import re
import signal
import threading
import time

from harness import keys, mail, milter, peers, tap
from harness.env import wait_until
from harness.site import OURS, Site
from harness.smtp import message

HELD = 20


def _refused(client):
    """The reply to MAIL once it is none of success."""
    reply = client.ask("MAIL FROM:<%s>" % OURS)
    if not reply.startswith("2"):
        return reply
    client.ask("RSET")
    return None


def stop_in_data(t, env, what, send_signal):
    """HELD sessions past MAIL, the signal, then the rest of each message"""
    site = Site(env, {"StopTimeout": "30"}).start()
    idle = site.client()
    clients = [site.client() for _ in range(HELD)]
    texts = [message(OURS, "h@dest.example", "held %d" % i,
                     "Number %d.\r\n" % i * 20) for i in range(HELD)]
    for i, c in enumerate(clients):
        c.begin(OURS, "held-%d@dest.example" % i, texts[i][:120])
    send_signal(site.filter)
    # The signal goes through the supervisor: on a busy machine that takes a while
    reply = wait_until(lambda: _refused(idle), 10, 0.1)
    t.ok(site.filter.alive(), what + ": alive while messages are open")
    t.match("^4", reply or "accepted for 10 s",
            what + ": MAIL on an open session gets a temporary refusal")
    late = site.client()
    t.match("^4", late.ask("MAIL FROM:<%s>" % OURS),
            what + ": MAIL on a new session gets a temporary refusal")
    replies = [c.finish(texts[i][120:]) for i, c in enumerate(clients)]
    t.eq([r for r in replies if not r.startswith("250")], [],
         what + ": all %d accepted" % HELD)
    good = 0
    site.sink.wait(None, HELD, 30)
    for i in range(HELD):
        got = site.sink.wait("held-%d@dest.example" % i, 1, 0)
        good += len(got) == 1 and peers.verify_dkimpy(
            got[0].data, site.zone) == ["pass"]
    t.eq(good, HELD, what + ": all delivered once, signed and verified")
    t.eq(wait_until(lambda: not site.filter.alive(), 15), True,
         what + ": the filter left once they were done")
    t.eq(site.filter.proc.poll(), 0, what + ": exit code 0")


def sigterm_in_data(t, env):
    """SIGTERM with 20 messages in DATA"""
    stop_in_data(t, env, "SIGTERM", lambda f: f.signal(signal.SIGTERM))


def group_kill_in_data(t, env):
    """SIGTERM to the whole process group with 20 messages in DATA"""
    stop_in_data(t, env, "group",
                 lambda f: os.killpg(f.proc.pid, signal.SIGTERM))


def _open_message(site):
    session = milter.Session(site.filter.socket)
    session.connect()
    session.envelope(OURS)
    return session


def stop_timeout(t, env):
    """a message that never ends does not hold the stop for ever"""
    site = Site(env, {"StopTimeout": "2"}, mta=None).start()
    held = _open_message(site)
    began = time.monotonic()
    code = site.filter.stop(timeout=20)
    took = time.monotonic() - began
    t.eq(code, 0, "exit code 0")
    t.ok(1.5 <= took <= 9, "it left after StopTimeout (2 s)", took)
    held.sock.close()
    site.filter.start()
    held = _open_message(site)
    site.filter.configure(StopTimeout="30")
    began = time.monotonic()
    site.filter.signal(signal.SIGTERM)
    # Two signals that are not taken in between are one
    time.sleep(1)
    site.filter.stop(timeout=20)
    t.ok(time.monotonic() - began < 6, "a second SIGTERM ends it at once",
         time.monotonic() - began)
    held.sock.close()


def _load(site, stop, made, refused, thread):
    number = 0
    while not stop.is_set():
        with site.client() as c:
            for _ in range(10):
                rcpt = "l%d-%d@dest.example" % (thread, number)
                number += 1
                try:
                    reply = c.send(OURS, rcpt, message(
                        OURS, rcpt, "load %d %d" % (thread, number)))
                except Exception as why:
                    refused.append(repr(why))
                    return
                (made if reply.startswith("250") else refused).append(rcpt)


def reload_under_load(t, env):
    """SIGUSR1 and SIGHUP while messages pass, two keys by turns"""
    site = Site(env).start()
    other = keys.make(env, "example.com", "r2")
    site.zone.update(keys.zone(other))
    stop, made, refused = threading.Event(), [], []
    threads = [threading.Thread(target=_load, args=(
        site, stop, made, refused, i)) for i in range(4)]
    for thread in threads:
        thread.start()
    began, reloads = time.monotonic(), 0
    # A busy machine needs longer for a load that is one
    while time.monotonic() - began < 4 or (
            len(made) <= 50 and time.monotonic() - began < 40):
        key = (site.ours, other)[reloads % 2]
        site.filter.configure(Selector=key.selector, KeyFile=key.path)
        site.filter.signal((signal.SIGUSR1, signal.SIGHUP)[reloads // 2 % 2])
        reloads += 1
        time.sleep(0.15)
    stop.set()
    for thread in threads:
        thread.join()
    t.note("%d messages, %d reloads" % (len(made), reloads))
    t.ok(len(made) > 50, "the load was one", len(made))
    t.eq(refused, [], "no message was refused")
    site.sink.wait(None, len(made), 20)
    copies = {m.rcpts[0]: m.data for m in site.sink.mails}
    t.eq(sorted(copies), sorted(made), "none lost")
    t.eq(len(site.sink.mails), len(made), "none delivered twice")
    bad = [r for r, c in copies.items()
           if peers.verify_dkimpy(c, site.zone) != ["pass"]]
    t.eq(bad, [], "all signed, all verify")
    used = {mail.signatures(c)[0]["s"] for c in copies.values()}
    t.eq(used, {"r", "r2"}, "both configurations were in force")
    t.ok(site.filter.alive(), "the filter lives")


def _signed_by(site):
    text = message(OURS, "b@dest.example", "probe")
    with milter.Session(site.filter.socket) as s:
        s.connect()
        answer = s.message(text, sender=OURS)
    return mail.signatures(milter.apply(text, answer.changes))


def broken_configuration(t, env):
    """a configuration that does not parse keeps the old one in force"""
    site = Site(env, mta=None).start()
    other = keys.make(env, "example.com", "r2")
    good = open(site.filter.conf).read()
    for name, line, hint in (
            ("unknown option", "Moed sv", "Moed"),
            ("bad value", "On-BadSignature perhaps", "perhaps")):
        mark = site.filter.mark()
        broken = good.replace("KeyFile ", line + "\nKeyFile ")
        number = 1 + broken[:broken.index(line)].count("\n")
        site.filter.configure(broken.replace(
            "Selector                r\n", "Selector                r2\n"))
        site.filter.signal(signal.SIGUSR1)
        t.ok(site.filter.wait_log(r"%s:%d:.*%s" % (
            re.escape(os.path.basename(site.filter.conf)), number, hint),
            mark=mark), name + ": the log names file, line and value",
            site.filter.since(mark))
        t.eq([s["s"] for s in _signed_by(site)], ["r"],
             name + ": the old configuration signs")
    mark = site.filter.mark()
    site.filter.configure(Selector="r2", KeyFile=other.path)
    site.filter.signal(signal.SIGHUP)
    site.filter.wait_log("(?i)reload", mark=mark)
    used = wait_until(lambda: [s["s"] for s in _signed_by(site)] == ["r2"], 5,
                      0.1)
    t.ok(used, "a good one after it is taken over", site.filter.since(mark))


def changed_key_file(t, env):
    """a key file changed in place; then a broken one"""
    site = Site(env, mta=None)
    env.write("KeyTable", "k example.com:r:%s\n" % site.ours.path)
    env.write("SigningTable", "*@example.com k\n")
    site.filter.configure(Domain=None, Selector=None, KeyFile=None,
                          KeyTable=env.path("KeyTable"),
                          SigningTable="refile:" + env.path("SigningTable"))
    site.start()

    def verifies(record):
        text = message(OURS, "b@dest.example", "probe")
        with milter.Session(site.filter.socket) as s:
            s.connect()
            copy = milter.apply(text, s.message(text, sender=OURS).changes)
        return peers.verify_dkimpy(copy, {site.ours.name: record}) == ["pass"]
    t.ok(verifies(site.ours.record), "signed with the first key")
    mark = site.filter.mark()
    new = keys.replace(env, site.ours)
    t.ok(wait_until(lambda: verifies(new.record), 6, 0.3),
         "the new key takes over without a reload")
    prints = re.findall(r"\b[0-9a-f]{16,64}\b|SHA256:[A-Za-z0-9+/=]{20,}",
                        site.filter.since(mark))
    t.ok(len(set(prints)) >= 2, "both fingerprints are logged",
         site.filter.since(mark))
    mark = site.filter.mark()
    env.write(os.path.relpath(site.ours.path, env.dir),
              "-----BEGIN PRIVATE KEY-----\nbroken\n", 0o600, env.user)
    time.sleep(1.5)
    for _ in range(3):
        verifies(new.record)
        time.sleep(0.5)
    t.ok(verifies(new.record), "a broken file leaves the loaded key in place")
    wait_until(lambda: site.ours.path in site.filter.since(mark), 5)
    t.match(re.escape(site.ours.path), site.filter.since(mark),
            "and the log names the file")


def dead_milter_process(t, env):
    """the milter process is killed: AutoRestart no ends, yes restarts"""
    site = Site(env, {"AutoRestart": "no"}, mta=None).start()
    pid = site.filter.milter_pid()
    t.ok(pid != site.filter.proc.pid, "the milter process is a child")
    os.kill(pid, signal.SIGKILL)
    t.ok(wait_until(lambda: not site.filter.alive(), 20),
         "AutoRestart no: the supervisor ends too")
    t.ok(site.filter.proc.poll() not in (None, 0),
         "with an exit code that is not 0", site.filter.proc.poll())
    site.filter.configure(AutoRestart="yes", AutoRestartRate="10/1h")
    site.filter.start()
    pid = site.filter.milter_pid()
    os.kill(pid, signal.SIGKILL)
    again = wait_until(lambda: site.filter.milter_pid() not in (
        pid, site.filter.proc.pid) and site.filter._connects(), 20)
    t.ok(again and site.filter.alive(), "AutoRestart yes: a new one serves")
    t.eq([s["s"] for s in _signed_by(site)] if again else None, ["r"],
         "and signs")


def supervisor_killed(t, env):
    """the supervisor is killed: the milter process stops as on SIGTERM"""
    site = Site(env, mta=None).start()
    pid = site.filter.milter_pid()
    session = _open_message(site)
    os.kill(site.filter.proc.pid, signal.SIGKILL)
    site.filter.proc.wait()
    time.sleep(0.5)
    text = message(OURS, "b@dest.example", "last")
    session.content(text)
    answer = session.end()
    t.eq(peers.verify_dkimpy(milter.apply(text, answer.changes), site.zone),
         ["pass"], "the open message is still signed")
    session.quit()
    t.ok(wait_until(lambda: not os.path.exists("/proc/%d" % pid), 12),
         "then the milter process leaves")


tap.run(sigterm_in_data, group_kill_in_data, stop_timeout, reload_under_load,
        broken_configuration, changed_key_file, dead_milter_process,
        supervisor_killed, limit=160)
