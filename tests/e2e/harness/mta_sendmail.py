# SPDX-License-Identifier: BSD-2-Clause
"""A private Sendmail out of unpacked packages (fetch-sendmail makes them).

It runs in a UTS and mount namespace of its own, where this machine has the
host name mta.example.com and a hosts file that knows it: else it sleeps for
a minute over a name that it cannot resolve.
"""

import os
import shutil
import signal
import subprocess

from .env import end, free_port, run, wait_until
from .smtp import Client
from .tap import SkipAll, need_program, need_root

_MC = """\
divert(-1)dnl
divert(0)dnl
VERSIONID(`dkimd end-to-end test')
OSTYPE(`linux')dnl
define(`QUEUE_DIR', `{dir}/mq')dnl
define(`confPID_FILE', `{dir}/sendmail.pid')dnl
define(`STATUS_FILE', `{dir}/statistics')dnl
define(`ALIAS_FILE', `')dnl
define(`confDOMAIN_NAME', `mta.example.com')dnl
define(`confDONT_PROBE_INTERFACES', `true')dnl
define(`confDONT_BLAME_SENDMAIL', `GroupWritableDirPathSafe,AssumeSafeChown')dnl
define(`confSERVICE_SWITCH_FILE', `{dir}/service.switch')dnl
define(`confHOSTS_FILE', `{dir}/hosts')dnl
define(`SMART_HOST', `relay:[127.0.0.1]')dnl
define(`RELAY_MAILER_ARGS', `TCP $h {sink}')dnl
define(`ESMTP_MAILER_ARGS', `TCP $h {sink}')dnl
define(`confTO_IDENT', `0')dnl
define(`confDELIVERY_MODE', `b')dnl
define(`confREFUSE_LA', `0')dnl
define(`confQUEUE_LA', `0')dnl
FEATURE(`promiscuous_relay')dnl
FEATURE(`accept_unqualified_senders')dnl
FEATURE(`accept_unresolvable_domains')dnl
FEATURE(`nocanonify')dnl
FEATURE(`no_default_msa')dnl
DAEMON_OPTIONS(`Name=MTA, Addr=127.0.0.1, Port={port}')dnl
INPUT_MAIL_FILTER(`dkimd', `S=local:{socket}, F=T, T=S:30s;R:2m;E:5m')dnl
MAILER(`local')dnl
MAILER(`smtp')dnl
"""

# what runs inside the namespaces; $1 is the scratch folder
_INSIDE = """\
set -e
hostname mta.example.com
mount --bind "$1/hosts" /etc/hosts
exec "$2" -C"$1/test.cf" -bD -X "$1/transcript"
"""


class Sendmail:
    def __init__(self, env, sink_port, socket_path):
        need_root()
        need_program("m4", "m4")
        need_program("unshare", "util-linux")
        self.env = env
        self.name = "sendmail"
        self.root = os.environ.get("DKIMD_E2E_SENDMAIL") or os.path.join(
            env.build, "sendmail-root")
        self.binary = os.path.join(self.root, "usr/libexec/sendmail/sendmail")
        if not os.path.exists(self.binary):
            raise SkipAll("no Sendmail in %s: tests/e2e/fetch-sendmail %s"
                          % (self.root, self.root))
        self.dir = env.path("sendmail")
        os.makedirs(os.path.join(self.dir, "mq"), mode=0o700)
        os.chmod(os.path.join(self.dir, "mq"), 0o700)
        self.port = free_port()
        self._configure(sink_port, socket_path)
        self.proc = None

    def _configure(self, sink_port, socket_path):
        self.env.write("sendmail/hosts",
                       "127.0.0.1 mta.example.com mta localhost\n")
        self.env.write("sendmail/service.switch", "hosts files\n")
        self.env.write("sendmail/statistics", "")
        mc = self.env.write("sendmail/test.mc", _MC.format(
            dir=self.dir, sink=sink_port, port=self.port,
            socket=socket_path))
        cf = os.path.join(self.root, "usr/share/sendmail/cf/")
        done = run(["m4", "-D_CF_DIR_=" + cf, cf + "m4/cf.m4", mc])
        if done.returncode != 0:
            raise AssertionError("m4: " + done.stderr.decode())
        self.env.write("sendmail/test.cf", done.stdout)

    def start(self):
        libs = [os.path.join(self.root, d, "x86_64-linux-gnu")
                for d in ("usr/lib", "lib")]
        multiarch = run(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"]) if (
            shutil.which("dpkg-architecture")) else None
        if multiarch and multiarch.returncode == 0:
            word = multiarch.stdout.decode().strip()
            libs += [os.path.join(self.root, d, word)
                     for d in ("usr/lib", "lib")]
        out = open(os.path.join(self.dir, "out"), "ab")
        with out:
            self.proc = subprocess.Popen(
                ["unshare", "-u", "-m", "sh", "-c", _INSIDE, "sh", self.dir,
                 self.binary], stdin=subprocess.DEVNULL, stdout=out,
                stderr=out, start_new_session=True,
                env=dict(os.environ, LD_LIBRARY_PATH=":".join(libs)))
        self.env.defer(self.stop)
        self.env.daemons.append(self)
        if not wait_until(self._listens, 20, 0.1):
            if self.proc.poll() is not None and b"unshare" in self._out():
                raise SkipAll("no namespaces: " + self._out().decode())
            raise AssertionError("sendmail does not listen: " + self.log())
        return self

    def _listens(self):
        if self.proc.poll() is not None:
            return False
        try:
            Client(self.port).close()
            return True
        except OSError:
            return False

    def stop(self):
        """Its deliveries are in its process group, and end with it."""
        if self.proc.poll() is None:
            end(self.proc, signal.SIGTERM, 5)
        try:
            os.killpg(self.proc.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def _out(self):
        with open(os.path.join(self.dir, "out"), "rb") as f:
            return f.read()

    def log(self):
        return self._out().decode("utf-8", "backslashreplace")
