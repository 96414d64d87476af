#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Messages a second and filter CPU a message through Postfix: no filter,
Debian's opendkim, dkimd, by turns in one run.

    tests/e2e/postfix-rate.py [BUILD_DIR] [--rounds N] [--messages N]
        [--sessions N] [--size OCTETS] [--tsv]

smtp-source sends, smtp-sink takes; signing relaxed/simple, RSA-2048, no log.
The rate counts messages as Postfix accepts them; the next turn begins once
the queue is empty. Not a test: nothing is asserted but that both sign.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import time

from harness import keys, mail, milter, peers, tap
from harness.daemon import Dkimd, Opendkim
from harness.env import Env, end, free_port, run, wait_until
from harness.mta_postfix import Postfix
from harness.smtp import message


def sink(env, port):
    program = tap.need_program("smtp-sink", "postfix")
    proc = subprocess.Popen([program, "-u", "root", "127.0.0.1:%d" % port,
                             "200"], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    env.defer(end, proc)


def queue_empty(postfix):
    for name in ("maildrop", "incoming", "active", "deferred"):
        for _, _, files in os.walk(os.path.join(postfix.dir, "spool", name)):
            if files:
                return False
    return True


def resident(filter_):
    with open("/proc/%d/status" % filter_.milter_pid()) as f:
        return int(re.search(r"^VmRSS:\s+(\d+)", f.read(), re.M).group(1))


def must_sign(filter_, key):
    text = message("a@example.com", "b@dest.example")
    with milter.Session(filter_.socket) as s:
        s.connect()
        copy = milter.apply(text, s.message(text).changes)
    if peers.verify_dkimpy(copy, keys.zone(key)) != ["pass"]:
        raise AssertionError("%s does not sign: %r" % (
            filter_.name, mail.signatures(copy)))


def turn(postfix, port, filter_, args):
    """(messages a second, CPU ms a message) of one load."""
    before = filter_.cpu() if filter_ else 0.0
    began = time.monotonic()
    done = run([tap.need_program("smtp-source", "postfix"), "-d",
                "-s", args.sessions, "-m", args.messages, "-l", args.size,
                "-f", "a@example.com", "-t", "b@dest.example",
                "127.0.0.1:%d" % port], timeout=300)
    took = time.monotonic() - began
    if done.returncode != 0:
        raise AssertionError("smtp-source: " + done.stderr.decode())
    if not wait_until(lambda: queue_empty(postfix), 120, 0.1):
        raise AssertionError("the queue does not drain: "
                             + postfix.log()[-1000:])
    used = filter_.cpu() - before if filter_ else 0.0
    return args.messages / took, 1000.0 * used / args.messages


def show(results, filters, args):
    row = "%-10s %9s %9s %9s %12s %12s %9s"
    if args.tsv:
        print("#filter\tper_s_median\tper_s_min\tper_s_max"
              "\tcpu_ms_median\tcpu_ms_min\trss_kb")
    else:
        print(row % ("filter", "msgs/s", "min", "max", "CPU ms/msg", "min",
                     "RSS KB"))
    for name, turns in results.items():
        rates = [r for r, _ in turns]
        cpu = [c for _, c in turns]
        cells = [name, "%.0f" % statistics.median(rates), "%.0f" % min(rates),
                 "%.0f" % max(rates)]
        if filters[name]:
            cells += ["%.3f" % statistics.median(cpu), "%.3f" % min(cpu),
                      "%d" % resident(filters[name])]
        else:
            cells += ["-"] * 3
        print("\t".join(cells) if args.tsv else row % tuple(cells))


def measure(env, args):
    key = keys.make(env, "example.com", "r", bits=2048)
    port = free_port()
    sink(env, port)
    postfix = Postfix(env, port, milters="", listeners={
        name: ["smtpd_milters=unix:%s/%s.sock" % (name, name)]
        for name in ("opendkim", "dkimd")})
    options = {"Mode": "s", "Domain": "example.com", "Selector": "r",
               "KeyFile": key.path, "Canonicalization": "relaxed/simple",
               "Syslog": "no", "SyslogSuccess": None,
               "SignHeaders": "From,To,Subject,Date,Message-ID",
               "OversignHeaders": "From"}
    filters = {"none": None}
    for name, kind in (("opendkim", Opendkim), ("dkimd", Dkimd)):
        try:
            filters[name] = kind(env, options, name=name,
                                 socket_path=postfix.socket_path(name))
            filters[name].start()
            must_sign(filters[name], key)
        except (RuntimeError, OSError) as why:
            print("# %s is left out: %s" % (name, why), file=sys.stderr)
            filters.pop(name, None)
    postfix.start()
    results = {name: [] for name in filters}
    for number in range(-1, args.rounds):
        for name, filter_ in filters.items():
            got = turn(postfix, postfix.ports[
                "smtp" if name == "none" else name], filter_, args)
            if number >= 0:  # the first round warms up
                results[name].append(got)
    show(results, filters, args)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", default=os.environ.get(
        "DKIMD_BUILD") or os.getcwd())
    for name, value in (("rounds", 5), ("messages", 2000), ("sessions", 20),
                        ("size", 1024)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--tsv", action="store_true")
    args = parser.parse_args()
    if not args.tsv:
        print("# %d rounds of %d messages, %d sessions, %d octets, %d CPUs,"
              " load at start %.2f" % (
                  args.rounds, args.messages, args.sessions, args.size,
                  len(os.sched_getaffinity(0)), os.getloadavg()[0]))
    try:
        with Env(os.path.abspath(args.build)) as env:
            measure(env, args)
    except tap.SkipAll as why:
        sys.exit("postfix-rate: " + str(why))


main()
