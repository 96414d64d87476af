# SPDX-License-Identifier: BSD-2-Clause
"""A private Postfix: own configuration, queue, ports and log.

smtpd and cleanup run chrooted in the queue folder, as Debian ships them;
the filter's socket is dkimd/dkimd.sock in there.
"""

import grp
import os
import pwd
import shutil
import signal

from .env import free_port, run, wait_until
from .smtp import Client
from .tap import need_program, need_root

_MAIN = """\
compatibility_level = 3.6
queue_directory = {dir}/spool
data_directory = {dir}/data
mail_owner = postfix
setgid_group = postdrop
meta_directory = {meta}
shlib_directory = {shlib}
daemon_directory = {daemon}
command_directory = /usr/sbin
myhostname = mta.example.com
mydomain = example.com
myorigin = example.com
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
relayhost = [127.0.0.1]:{sink}
alias_maps =
alias_database =
local_recipient_maps =
smtp_dns_support_level = disabled
smtputf8_enable = yes
message_size_limit = 67108864
smtpd_peername_lookup = no
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
initial_destination_concurrency = 20
default_destination_concurrency_limit = 40
smtpd_relay_restrictions = permit_mynetworks, permit_sasl_authenticated, reject
notify_classes =
maillog_file = {dir}/maillog
maillog_file_prefixes = {dir}
smtpd_milters = {milters}
non_smtpd_milters = $smtpd_milters
milter_default_action = tempfail
internal_mail_filter_classes = bounce
"""

# service, type, private, unprivileged, chroot, wakeup, processes, command
_MASTER = """\
pickup unix n - y 60 1 pickup
cleanup unix n - y - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - y - - trivial-rewrite
bounce unix - - y - 0 bounce
defer unix - - y - 0 bounce
trace unix - - y - 0 bounce
verify unix - - y - 1 verify
flush unix n - y 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - y - - smtp
relay unix - - y - - smtp
showq unix n - y - - showq
error unix - - y - - error
retry unix - - y - - error
discard unix - - y - - discard
anvil unix - - y - 1 anvil
scache unix - - y - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""

_DAEMONS = "/usr/lib/postfix/sbin"
_QUEUES = ("active", "bounce", "corrupt", "defer", "deferred", "flush",
           "hold", "incoming", "private", "saved", "trace")
_CHROOT_FILES = ("resolv.conf", "services", "hosts", "nsswitch.conf",
                 "localtime", "host.conf")


class Postfix:
    """milters: the value of smtpd_milters; more: main.cf lines; listeners:
    name to "-o" options, each gets a port of its own in ports[name]."""

    SOCKET = "unix:dkimd/dkimd.sock"

    def __init__(self, env, sink_port, milters=SOCKET, more="",
                 listeners=None):
        need_root()
        need_program("postfix", "postfix")
        self.env = env
        self.dir = env.path("postfix")
        self.ports = {"smtp": free_port()}
        os.makedirs(self.dir)
        self._folders()
        master = self._listener("smtp", [])
        for name, options in (listeners or {}).items():
            self.ports[name] = free_port()
            master += self._listener(name, options)
        env.write("postfix/master.cf", master + _MASTER)
        env.write("postfix/main.cf", _MAIN.format(
            dir=self.dir, sink=sink_port, milters=milters,
            meta="/etc/postfix", shlib="/usr/lib/postfix",
            daemon=_DAEMONS) + more)
        self.port = self.ports["smtp"]
        self.name = "postfix"

    def _listener(self, name, options):
        line = "127.0.0.1:%d inet n - y - 150 smtpd\n" % self.ports[name]
        return line + "".join("  -o %s\n" % o for o in options)

    def _folders(self):
        """What `postfix check` would make, without its hundred processes."""
        owner = pwd.getpwnam("postfix")
        drop = grp.getgrnam("postdrop").gr_gid
        spool = os.path.join(self.dir, "spool")
        os.makedirs(os.path.join(spool, "etc"))
        os.makedirs(os.path.join(spool, "pid"))
        for path in [os.path.join(spool, n) for n in _QUEUES] + [
                os.path.join(self.dir, "data")]:
            os.mkdir(path, 0o700)
            os.chown(path, owner.pw_uid, owner.pw_gid)
        for name, mode in (("maildrop", 0o1730), ("public", 0o2710)):
            path = os.path.join(spool, name)
            os.mkdir(path)
            os.chown(path, owner.pw_uid, drop)
            os.chmod(path, mode)
        for name in _CHROOT_FILES:
            source = "/etc/" + name
            if os.path.exists(source):
                shutil.copy(source, os.path.join(spool, "etc", name))

    def socket_path(self, name="dkimd"):
        """Where the filter makes its socket, its folder ready."""
        return os.path.join(self.env.socket_dir("postfix/spool/" + name),
                            name + ".sock")

    def start(self):
        """The master itself; -w waits until it serves."""
        self.env.defer(self.stop)
        self.env.daemons.append(self)
        done = run([_DAEMONS + "/master", "-c", self.dir, "-w"],
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                        "MAIL_CONFIG": self.dir})
        if done.returncode != 0 or not wait_until(self._listens, 10):
            raise AssertionError("postfix did not start: %s%s" % (
                done.stderr.decode(), self.log()))
        return self

    def _listens(self):
        try:
            Client(self.port).close()
            return True
        except OSError:
            return False

    def _master(self):
        """The master's process id while it runs, else None."""
        try:
            with open(os.path.join(self.dir, "spool/pid/master.pid")) as f:
                pid = int(f.read())
            with open("/proc/%d/cmdline" % pid) as f:
                return pid if self.dir in f.read() else None
        except (OSError, ValueError):
            return None

    def stop(self):
        """SIGTERM ends the master and all it started."""
        pid = self._master()
        if pid is None:
            return
        os.kill(pid, signal.SIGTERM)
        if not wait_until(lambda: self._master() is None, 10):
            os.killpg(pid, signal.SIGKILL)

    def set(self, **options):
        """postconf and reload."""
        run(["postconf", "-c", self.dir] + ["%s=%s" % kv
                                            for kv in options.items()])
        os.kill(self._master(), signal.SIGHUP)

    def flush(self):
        run(["postqueue", "-c", self.dir, "-f"])

    def queue_empty(self):
        out = run(["postqueue", "-c", self.dir, "-p"]).stdout
        return b"Mail queue is empty" in out

    def local(self, sender, rcpt, message):
        """sendmail(1), as a program on this machine submits mail."""
        done = run(["/usr/sbin/sendmail", "-C", self.dir, "-i", "-f", sender,
                    rcpt], input=message)
        if done.returncode != 0:
            raise AssertionError("sendmail: " + done.stderr.decode())

    def log(self):
        try:
            with open(os.path.join(self.dir, "maillog"), "rb") as f:
                return f.read().decode("utf-8", "backslashreplace")
        except FileNotFoundError:
            return ""
