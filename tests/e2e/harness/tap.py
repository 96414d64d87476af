# SPDX-License-Identifier: BSD-2-Clause
"""Test Anything Protocol output, and the frame every test runs in."""

import faulthandler
import os
import re
import shutil
import signal
import sys
import time
import traceback


class SkipAll(Exception):
    """The whole file cannot run here; the text says why."""


class Tap:
    """Counts and prints results; a failed one tells got and want."""

    def __init__(self, out=None):
        self.out = out or sys.stdout
        self.count = 0
        self.failed = 0
        self.began = time.monotonic()

    def _print(self, line):
        self.out.write(line + "\n")
        self.out.flush()

    def note(self, text):
        for line in str(text).splitlines() or [""]:
            self._print("# " + line)

    def ok(self, cond, name, *diag):
        self.count += 1
        name = re.sub(r"[\r\n#]", " ", name)
        if cond:
            self._print("ok %d - %s" % (self.count, name))
        else:
            self.failed += 1
            self._print("not ok %d - %s" % (self.count, name))
            for d in diag:
                self.note(d if isinstance(d, str) else repr(d))
        return bool(cond)

    def eq(self, got, want, name, *diag):
        return self.ok(got == want, name, "got:  %r" % (got,),
                       "want: %r" % (want,), *diag)

    def match(self, pattern, text, name, *diag):
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogateescape")
        found = re.search(pattern, text or "", re.S | re.M)
        shown = (text or "")[-3000:].encode("ascii", "backslashreplace")
        return self.ok(found, name, "want: /%s/" % pattern,
                       "in: " + shown.decode("ascii"), *diag)

    def no_match(self, pattern, text, name, *diag):
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogateescape")
        found = re.search(pattern, text or "", re.S | re.M)
        return self.ok(not found, name, "not wanted: /%s/" % pattern,
                       "found: %r" % (found.group(0) if found else "",),
                       *diag)

    def skip(self, name, why):
        self.count += 1
        self._print("ok %d - %s # SKIP %s" % (self.count, name, why))

    def fault(self, where):
        """An exception inside a part of the test is a failure of that part."""
        self.ok(False, where + " ran to its end", traceback.format_exc())

    def done(self):
        self._print("1..%d" % self.count)
        self.note("%.1f s" % (time.monotonic() - self.began))
        return 1 if self.failed or not self.count else 0


def need_root():
    if os.geteuid() != 0:
        raise SkipAll("not root")


def need_program(program, package):
    """Path of a program, looked for where Debian keeps daemons too."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    found = shutil.which(program, path=path)
    if not found:
        raise SkipAll("no %s (package %s)" % (program, package))
    return found


def _build_dir(argv):
    """The argument, DKIMD_BUILD, TESTS_BUILD (set by make), or where we are."""
    for given in argv[1:2] + [os.environ.get("DKIMD_BUILD"),
                              os.environ.get("TESTS_BUILD"), "."]:
        if given:
            return os.path.abspath(given)


def run(*parts, setup=None, limit=170):
    """Run the parts of a test in order.

    A part is a function (tap, env); its docstring's first line names it.
    Each has a scratch folder of its own, or all share what setup(env) made
    and get that instead of env. After `limit` seconds the stacks are printed
    and the test ends: nothing here may hang a whole run.
    """
    from .env import Env

    if os.geteuid() != 0:
        # users, chroots, namespaces: each file needs them somewhere
        print("1..0 # SKIP not root")
        sys.exit(0)

    def on_alarm(*_):
        faulthandler.dump_traceback(all_threads=False)
        raise TimeoutError("test over its limit of %d s" % limit)

    signal.signal(signal.SIGALRM, on_alarm)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    signal.alarm(limit)
    only = os.environ.get("DKIMD_E2E_ONLY")
    parts = [p for p in parts if not only or re.search(only, p.__name__)]
    build = _build_dir(sys.argv)
    tap = Tap()
    try:
        if setup is None:
            for part in parts:
                with Env(build) as env:
                    _run_part(tap, env, part, env)
        else:
            with Env(build) as env:
                _run_shared(tap, env, setup, parts)
    finally:
        signal.alarm(0)
    sys.exit(tap.done())


def _run_shared(tap, env, setup, parts):
    try:
        shared = setup(env)
    except SkipAll as why:
        for part in parts:
            tap.skip(_title(part), str(why))
        return
    except Exception:
        tap.fault("set-up")
        env.show_logs(tap)
        return
    for part in parts:
        _run_part(tap, env, part, shared)


def _title(part):
    return part.__name__.replace("_", " ")


def _run_part(tap, env, part, argument):
    tap.note("-- " + (part.__doc__ or _title(part)).splitlines()[0])
    before = tap.failed
    began = time.monotonic()
    try:
        part(tap, argument)
    except SkipAll as why:
        tap.skip(_title(part), str(why))
    except Exception:
        tap.fault(_title(part))
    if tap.failed > before:
        env.show_logs(tap)
    tap.note("   %.1f s" % (time.monotonic() - began))
