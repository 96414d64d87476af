# SPDX-License-Identifier: BSD-2-Clause
"""dkimd, and Debian's opendkim in its place: one configuration language.

DKIMD_E2E_DAEMON=opendkim runs a test against opendkim, to see whether a
failure is the harness's own.
"""

import os
import re
import signal
import socket
import subprocess

from .env import end, wait_until

TICKS = os.sysconf("SC_CLK_TCK")


class Daemon:
    """One running filter. Options are a dict; a list gives repeated lines,
    None takes one of the defaults away."""

    kind = "dkimd"
    program = None
    before = ()    # what its command begins with, and execs it
    foreground = ("-f",)

    def __init__(self, env, options, name=None, socket_path=None):
        self.env = env
        self.name = name or self.kind
        self.socket = socket_path or os.path.join(
            env.socket_dir(self.name + "-run"), "sock")
        self.conf = env.path(self.name + ".conf")
        self.logfile = env.path(self.name + ".log")
        self.proc = None
        self.options = self.defaults()
        self.options.update(options)
        self.configure()
        env.daemons.append(self)

    def defaults(self):
        return {
            "Socket": "local:" + self.socket,
            "UserID": (self.env.user.name if os.geteuid() == 0 else None),
            "UMask": "007",
            "Syslog": "yes",
            "SyslogSuccess": "yes",
            "AuthservID": "mta.example.com",
            "Canonicalization": "relaxed/relaxed",
        }

    def configure(self, text=None, **changes):
        """Write the configuration file anew; text as it is, when given."""
        self.options.update(changes)
        if text is None:
            lines = []
            for name, value in self.options.items():
                for one in value if isinstance(value, list) else [value]:
                    if one is not None:
                        lines.append("%-24s%s\n" % (name, one))
            text = "".join(lines)
        self.env.write(self.conf, text)

    def command(self, *more):
        return [*self.before, self.program or self.env.program("dkimd"),
                *self.foreground, "-x", self.conf, *more]

    def start(self, *more, timeout=10, environ=None, wait=True, user=None):
        """Start it and wait until its socket takes connections."""
        log = open(self.logfile, "ab")
        st = os.fstat(log.fileno())
        surroundings = dict(os.environ, LC_ALL="C")
        surroundings.pop("NOTIFY_SOCKET", None)
        # systemd.exec(5): this is how a service sees that its standard
        # error is the journal, where dkimd then logs
        surroundings["JOURNAL_STREAM"] = "%d:%d" % (st.st_dev, st.st_ino)
        surroundings.update(environ or {})
        try:
            self.proc = subprocess.Popen(
                self.command(*more), stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, env=surroundings, start_new_session=True,
                **({} if user is None else {
                    "user": user.uid, "group": user.gid,
                    "extra_groups": []}))
        finally:
            log.close()
        self.env.defer(self._cleanup, self.proc)
        if wait and not (wait_until(self._up, timeout) and self.alive()):
            raise AssertionError("%s does not answer on %s (%s)\n%s" % (
                self.name, self.socket,
                "exit %s" % self.proc.poll() if self.proc.poll() is not None
                else "still running", self.log()))
        return self

    def kill(self):
        """At once, both processes: a stop in good order is for the tests to
        look at. Returns when nobody holds the socket any more."""
        if self.proc is not None:
            self._cleanup(self.proc)
            # a zombie's last threads may keep it open for a moment
            wait_until(lambda: not self._connects(), 5, 0.01)

    @staticmethod
    def _cleanup(proc):
        if proc.poll() is not None:
            return
        children = _children(proc.pid)
        for pid in children:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        end(proc, signal.SIGKILL)
        wait_until(lambda: not any(_runs(pid) for pid in children), 5, 0.01)

    def _up(self):
        """Up, or gone: both end the wait."""
        return self._connects() or self.proc.poll() is not None

    def _connects(self):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(2)
            try:
                s.connect(self.socket)
                return True
            except OSError:
                return False

    def attempt(self, *more, timeout=15, **kw):
        """Start it with more arguments; (exit code, what it said). The code
        is None, and it is stopped, when it goes on running."""
        mark = self.mark()
        self.start(*more, wait=False, **kw)
        try:
            code = self.proc.wait(timeout)
        except subprocess.TimeoutExpired:
            self._cleanup(self.proc)
            code = None
        return code, self.since(mark)

    def stop(self, sig=signal.SIGTERM, timeout=40):
        """Ask it to stop; its exit code."""
        return end(self.proc, sig, timeout)

    def signal(self, sig):
        self.proc.send_signal(sig)

    def alive(self):
        return self.proc is not None and self.proc.poll() is None

    def log(self):
        try:
            with open(self.logfile, "rb") as f:
                return f.read().decode("utf-8", "backslashreplace")
        except FileNotFoundError:
            return ""

    def mark(self):
        """Where the log ends now; for wait_log and since."""
        return len(self.log())

    def since(self, mark):
        return self.log()[mark:]

    def wait_log(self, pattern, timeout=20, mark=0):
        return wait_until(
            lambda: re.search(pattern, self.since(mark), re.M), timeout)

    def milter_pid(self):
        """The process that serves the socket: the supervisor's child."""
        kids = _children(self.proc.pid)
        return kids[0] if kids else self.proc.pid

    def cpu(self):
        """Seconds of CPU of the filter and the processes under it."""
        return sum(_cpu(p) for p in [self.proc.pid]
                   + _children(self.proc.pid))


class Dkimd(Daemon):
    pass


class Opendkim(Daemon):
    """Options of ours alone are left out; it logs to syslog only."""

    kind = "opendkim"
    program = "/usr/sbin/opendkim"
    ours = {"StopTimeout", "SignTimeout", "SignerThreads", "RSABackend",
            "LogStyle", "KeyCacheSize", "CheckSigningTable", "PKCS11Verify"}

    def configure(self, text=None, **changes):
        self.options.update(changes)
        for name in self.ours & set(self.options):
            del self.options[name]
        super().configure(text)


def Filter(env, options, **kw):
    """The filter under test: dkimd unless the environment says opendkim."""
    kind = os.environ.get("DKIMD_E2E_DAEMON", "dkimd")
    return {"dkimd": Dkimd, "opendkim": Opendkim}[kind](env, options, **kw)


def _children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            kids = [int(w) for w in f.read().split()]
    except OSError:
        return []
    for kid in list(kids):
        kids += _children(kid)
    return kids


def _runs(pid):
    """Not gone, and not a zombie that nobody waited for."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def _cpu(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            rest = f.read().rsplit(")", 1)[1].split()
        return (int(rest[11]) + int(rest[12])) / TICKS
    except OSError:
        return 0.0
