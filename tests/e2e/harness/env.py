# SPDX-License-Identifier: BSD-2-Clause
"""One test's surroundings: scratch folder, user, keys, things to stop."""

import atexit
import contextlib
import grp
import os
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

_USER = "dkimd-e2e-%d"
_given = set()


def free_port():
    """A port that nobody listens on; the taker binds it soon after.

    Below the range that the kernel gives to clients, so that no connection
    made in between has it.
    """
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as s, socket.socket(
                socket.AF_INET, socket.SOCK_DGRAM) as u:
            try:
                s.bind(("127.0.0.1", port))
                u.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in _given:
            _given.add(port)
            return port


def wait_until(cond, timeout, step=0.02):
    """The first true value of cond(), or its last one when time is up."""
    end = time.monotonic() + timeout
    while True:
        value = cond()
        if value or time.monotonic() >= end:
            return value
        time.sleep(step)


def run(args, **kw):
    """subprocess.run with text captured and a limit."""
    kw.setdefault("timeout", 60)
    kw.setdefault("stdout", subprocess.PIPE)
    kw.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([str(a) for a in args], **kw)


def _alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


class User:
    """A system user of this process, removed when it ends.

    A run that was killed leaves its user behind; the next one sweeps those
    whose process is gone.
    """

    _mine = None

    @classmethod
    def get(cls):
        if cls._mine is None:
            cls._mine = cls()
        return cls._mine

    def __init__(self):
        for entry in pwd.getpwall():
            m = re.fullmatch(_USER.replace("%d", r"(\d+)"), entry.pw_name)
            if m and not _alive(int(m.group(1))):
                run(["/usr/sbin/userdel", entry.pw_name])
        self.name = _USER % os.getpid()
        made = run(["/usr/sbin/useradd", "--system", "--user-group",
                    "--no-create-home", "--home-dir", "/nonexistent",
                    "--shell", "/usr/sbin/nologin", self.name])
        if made.returncode != 0:
            raise RuntimeError("useradd: " + made.stderr.decode())
        atexit.register(run, ["/usr/sbin/userdel", self.name])
        entry = pwd.getpwnam(self.name)
        self.uid, self.gid = entry.pw_uid, entry.pw_gid


def _base():
    """Where scratch folders are made.

    Below /tmp, Sendmail refuses the socket and opendkim the key: a folder
    that all can write is on the way. /run is root's own.
    """
    given = os.environ.get("DKIMD_E2E_TMP")
    if given:
        return given
    return "/run" if os.geteuid() == 0 and os.path.isdir("/run") else (
        tempfile.gettempdir())


class Env:
    """Scratch folder and everything that was started in it."""

    def __init__(self, build):
        self.build = build
        self.stack = contextlib.ExitStack()
        self.daemons = []

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="dkimd-e2e.", dir=_base())
        os.chmod(self.dir, 0o755)
        return self

    def __exit__(self, *exc):
        try:
            self.stack.close()
        finally:
            if os.environ.get("DKIMD_E2E_KEEP"):
                print("# kept " + self.dir)
            else:
                shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def write(self, name, text, mode=0o644, owner=None):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = text if isinstance(text, bytes) else text.encode()
        with open(path, "wb") as f:
            os.fchmod(f.fileno(), mode)
            f.write(data)
        if owner is not None:
            os.chown(path, owner.uid, owner.gid)
        return path

    def defer(self, fn, *args):
        self.stack.callback(fn, *args)

    @property
    def user(self):
        return User.get()

    def program(self, name):
        """dkimd or dkim of the build folder, wherever make put it."""
        for where in ("cmd", "."):
            path = os.path.join(self.build, where, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
        raise RuntimeError("no %s in %s: build first, or name the build"
                           " folder as the first argument"
                           % (name, self.build))

    def socket_dir(self, name="run", group="postfix"):
        """The folder of BEHAVIOUR 8: dkimd:postfix 2750."""
        path = self.path(name)
        os.makedirs(path, exist_ok=True)
        if os.geteuid() == 0:
            try:
                gid = grp.getgrnam(group).gr_gid
            except KeyError:
                gid = self.user.gid
            os.chown(path, self.user.uid, gid)
        os.chmod(path, 0o2750)
        return path

    def show_logs(self, tap):
        for d in self.daemons:
            text = d.log()
            if text:
                lines = [s for s in text.splitlines() if not re.search(
                    r"(dis)?connect from|message-id=|: removed$", s)]
                tap.note("log of %s:\n%s" % (d.name,
                                             "\n".join(lines[-12:])))


def end(proc, sig=signal.SIGTERM, timeout=10):
    """End a process that we started; its exit code."""
    if proc.poll() is None:
        proc.send_signal(sig)
        try:
            return proc.wait(timeout)
        except subprocess.TimeoutExpired:
            proc.kill()
    return proc.wait()
