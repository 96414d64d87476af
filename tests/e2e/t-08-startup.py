#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Start: what is checked, what is said, what rights are left."""

import grp
import os
import re
import signal
import socket
import stat
import time

from harness import keys, mail, milter, tap
from harness.daemon import Filter
from harness.env import free_port, run, wait_until
from harness.smtp import message
from harness.watch import Opens


def _answer(filter_, sender, addr="127.0.0.1", name="client.example.net"):
    """(signatures, answer) for a message from sender."""
    text = message(sender, "b@dest.example", "probe")
    with milter.Session(filter_.socket) as s:
        s.connect(name, addr)
        answer = s.message(text, sender="x@envelope.example")
    return mail.signatures(milter.apply(text, answer.changes)), answer


def _domains(filter_, sender, **kw):
    return [s["d"] for s in _answer(filter_, sender, **kw)[0]]


def _plain(env, **options):
    key = keys.make(env, "example.com", "r", bits=1024)
    return Filter(env, dict({"Domain": "example.com", "Selector": "r",
                             "KeyFile": key.path}, **options)), key


def configuration_faults(t, env):
    """faults that stop the start: exit 78 or 64, file, line, value"""
    tap.need_root()
    filter_, key = _plain(env)
    conf = re.escape(os.path.basename(filter_.conf))
    for name, changes, pattern in (
            ("unknown option", {"Sokcet": "local:/x"},
             conf + r":\d+:.*Sokcet"),
            ("bad On- value", {"On-BadSignature": "perhaps"},
             conf + r":\d+:.*perhaps"),
            ("bad number", {"DNSTimeout": "64k"}, conf + r":\d+:.*64k"),
            ("bad canonicalization", {"Canonicalization": "relaxed/fuzzy"},
             conf + r":\d+:.*fuzzy"),
            ("unknown RSABackend", {"RSABackend": "bn128"},
             conf + r":\d+:.*bn128.*wanted is libcrypto, bn64"),
            ("SigningTable without KeyTable", {"SigningTable": "csl:a=b"},
             "KeyTable"),
            ("missing table", {"KeyTable": "file:/nonexistent/table",
                               "SigningTable": "csl:*=k"},
             "/nonexistent/table")):
        before = dict(filter_.options)
        filter_.configure(**changes)
        for how in ([], ["-n"]):
            code, said = filter_.attempt(*how)
            t.eq(code, 78, "%s: exit 78 %s" % (name, " ".join(how)), said)
            t.match(pattern, said, "%s: and the message says where %s" % (
                name, " ".join(how)))
        filter_.options = before
    filter_.configure()
    t.eq(filter_.attempt("--no-such-flag")[0], 64, "unknown flag: exit 64")
    t.eq(filter_.attempt("-Z")[0], 64, "unknown letter: exit 64")
    filter_.configure(Socket=None)
    code, said = filter_.attempt()
    t.eq(code, 78, "no Socket: exit 78")
    t.match(r"local:/var/spool/postfix/dkimd/dkimd\.sock", said,
            "with the line to write")
    t.match(r"local:/run/dkimd/dkimd\.sock", said,
            "for Postfix, and the one for Sendmail")
    filter_.configure(Socket="local:" + env.path("nowhere", "sock"))
    code, said = filter_.attempt()
    t.eq(code, 78, "missing folder of the socket: exit 78")
    t.match(r"install -d .*%s" % re.escape(env.path("nowhere")), said,
            "with the install -d line")


def users(t, env):
    """UserID: unknown; somebody else without root"""
    tap.need_root()
    filter_, key = _plain(env)
    code, said = filter_.attempt("-u", "no-such-user")
    t.ok(code in (77, 78), "unknown user: exit 77 or 78", code)
    t.match("no-such-user", said, "and its name")
    filter_.configure(UserID="daemon")
    os.chmod(filter_.logfile, 0o666)
    code, said = filter_.attempt(user=env.user)
    t.eq(code, 77, "not root and UserID is somebody else: exit 77", said)
    t.match("daemon", said, "it names the one")
    t.match(re.escape(env.user.name), said, "and the other")


def obsolete_options(t, env):
    """options of MIGRATION 1 marked D warn and go on"""
    filter_, key = _plain(env, ADSPAction="discard", SendReports="yes",
                          AllowSHA1Only="yes")
    filter_.start()
    for name in ("ADSPAction", "SendReports", "AllowSHA1Only"):
        t.match(name, filter_.log(), name + ": a warning names it")
    t.eq(_domains(filter_, "a@example.com"), ["example.com"], "it signs")


def _tables(env, key_rows, signing_rows, **options):
    env.write("KeyTable", "".join(r + "\n" for r in key_rows))
    env.write("SigningTable", "".join(r + "\n" for r in signing_rows))
    return Filter(env, dict({
        "KeyTable": "file:" + env.path("KeyTable"),
        "SigningTable": "refile:" + env.path("SigningTable")}, **options))


def bad_rows(t, env):
    """faults of one row: named with file and line, the others sign"""
    good = keys.make(env, "good.example", "g", bits=1024)
    ed = keys.make(env, "ed.example", "e", "ed25519")
    filter_ = _tables(env, [
        "# a comment",
        "good good.example:g:" + good.path,
        "ed ed.example:e:%s:rsa-sha256" % ed.path,
        "gone gone.example:x:" + env.path("keys/none.pem"),
        "half half.example",
    ], [
        "*@good.example good",
        "*@lost.example lost",
        "*@ed.example ed",
        "*@gone.example gone",
        "*@half.example half",
    ])
    code, said = filter_.attempt("-n")
    t.eq(code, 1, "-n: exit 1 for rows and keys at fault", said)
    for name, pattern in (
            ("a key name that KeyTable lacks", r"SigningTable:2:.*lost"),
            ("an algorithm that contradicts the key",
             r"KeyTable:3:.*(rsa|ed25519)"),
            ("a key file that is not there", r"KeyTable:4:.*none\.pem"),
            ("a value without key", r"KeyTable:5:")):
        t.match(pattern, said, "-n names %s with file and line" % name)
    filter_.start()
    t.match(r"SigningTable:2:.*lost", filter_.log(),
            "the start names the missing key name, and goes on")
    t.eq(_domains(filter_, "a@good.example"), ["good.example"],
         "the good row signs")
    for domain in ("lost", "ed", "gone", "half"):
        sigs, answer = _answer(filter_, "a@%s.example" % domain)
        t.ok(sigs == [] and answer.code in "ty" and (
            answer.code == "t" or answer.data.startswith(b"451 4.7.0")),
            domain + ": 451, never sent unsigned", answer)
        t.no_match(r"/|pem", answer.data, domain + ": no path in the reply")
    filter_.kill()
    env.write("KeyTable", "good good.example:g:%s\n"
              "token token.example:t:pkcs11:object=x?pin-source=|command\n"
              % good.path)
    code, said = filter_.attempt("-n")
    t.eq(code, 1, "a PIN by a command: a row at fault", said)
    t.match(r"KeyTable:2:.*is a command, which is never run", said,
            "with file and line; the command in it is not run")


def check_option(t, env):
    """-n: silent when well; -nv adds a summary; keys by CheckSigningTable"""
    good = keys.make(env, "good.example", "g", bits=1024)
    filter_ = _tables(env, ["good good.example:g:" + good.path],
                      ["*@good.example good"])
    t.eq(filter_.attempt("-n"), (0, ""), "-n: nothing said, exit 0")
    code, said = filter_.attempt("-n", "-v")
    t.ok(code == 0 and said.strip(), "-nv: a summary, exit 0", code, said)
    one = keys.make(env, "one.example", "1", bits=1024)
    two = keys.make(env, "two.example", "2", bits=1024)
    for key in (one, two):
        os.truncate(key.path, 100)
    env.write("KeyTable", "good good.example:g:%s\none one.example:1:%s\n"
              "two two.example:2:%s\n" % (good.path, one.path, two.path))
    env.write("SigningTable", "*@one.example one\n*@two.example two\n")
    code, said = filter_.attempt("-n")
    t.eq(code, 1, "two keys that do not parse: exit 1", said)
    t.match(re.escape(one.path), said, "the first is named")
    t.match(re.escape(two.path), said, "and the second in the same run")
    filter_.configure(CheckSigningTable="no")
    t.eq(filter_.attempt("-n")[0], 0, "CheckSigningTable no: rows only")


def key_rights(t, env):
    """keys that others could read or replace, keys we cannot read"""
    tap.need_root()
    filter_, key = _plain(env)
    folder = os.path.dirname(key.path)
    strange = grp.getgrnam("daemon").gr_gid
    for name, path, mode, back in (
            ("key readable by all", key.path, 0o644, 0o600),
            ("key readable by a group of others", key.path, 0o640, 0o600),
            ("folder writable by all", folder, 0o777, 0o700)):
        os.chown(key.path, env.user.uid, strange)
        os.chmod(path, mode)
        mark = filter_.mark()
        filter_.start()
        sigs, answer = _answer(filter_, "a@example.com")
        said = filter_.since(mark)
        filter_.kill()
        os.chmod(path, back)
        t.ok(sigs == [] and answer.code in "ty", name + ": mail gets 451",
             answer)
        line = [s for s in said.splitlines() if path in s]
        t.ok(line, name + ": the log names the path element " + path, said)
        t.match(r"(0?%o|other|group)" % mode, "\n".join(line),
                name + ": and the bit")
        code, said = filter_.attempt("-n")
        t.eq(code, 0, name + ": put right, -n is content", said)
    os.chown(key.path, env.user.uid, env.user.gid)
    os.chmod(key.path, 0o640)
    filter_.start()
    t.eq(_domains(filter_, "a@example.com"), ["example.com"],
         "readable by a group of the user: it signs")
    filter_.kill()
    os.chmod(key.path, 0o644)
    filter_.configure(RequireSafeKeys="no")
    filter_.start()
    t.eq(_domains(filter_, "a@example.com"), ["example.com"],
         "RequireSafeKeys no: it signs")
    filter_.kill()
    os.chmod(key.path, 0o600)
    os.chown(key.path, 0, 0)
    filter_.configure(RequireSafeKeys="yes")
    mark = filter_.mark()
    filter_.start()
    t.eq(_domains(filter_, "a@example.com"), ["example.com"],
         "a KeyFile that only root reads signs: it was read before the drop")
    t.match(r"(?i)reload.*read", filter_.since(mark),
            "with a warning about reload")
    mark = filter_.mark()
    filter_.signal(signal.SIGUSR1)
    filter_.wait_log("(?i)reload", mark=mark)
    time.sleep(0.3)
    t.eq(_domains(filter_, "a@example.com"), ["example.com"],
         "and keeps signing after one")


def root_made_key(t, env):
    """a table key made by root that the user cannot read is named"""
    tap.need_root()
    key = keys.make(env, "good.example", "g", bits=1024)
    os.chown(key.path, 0, 0)
    filter_ = _tables(env, ["good good.example:g:" + key.path],
                      ["*@good.example good"])
    code, said = filter_.attempt("-n")
    t.eq(code, 1, "-n as root looks with the rights of UserID: exit 1")
    t.match(re.escape(key.path), said, "and names the key")
    filter_.start()
    t.ok(filter_.wait_log(re.escape(key.path), 20), "the start names it",
         filter_.log())
    t.match(re.escape(env.user.name), filter_.log(), "and the user")
    sigs, answer = _answer(filter_, "a@good.example")
    t.ok(sigs == [] and answer.code in "ty", "its mail gets 451", answer)


def key_and_algorithm(t, env):
    """SignatureAlgorithm against the key of KeyFile"""
    filter_, key = _plain(env, SignatureAlgorithm="ed25519-sha256")
    code, said = filter_.attempt()
    t.eq(code, 78, "RSA key with ed25519-sha256: exit 78", said)
    t.match("ed25519-sha256", said, "and says so")
    ed = keys.make(env, "example.com", "e", "ed25519")
    filter_.configure(SignatureAlgorithm="rsa-sha256", KeyFile=ed.path,
                      Selector="e")
    code, said = filter_.attempt()
    t.eq(code, 78, "Ed25519 key with rsa-sha256: exit 78", said)
    filter_.configure(SignatureAlgorithm=None)
    filter_.start()
    sigs, _ = _answer(filter_, "a@example.com")
    t.eq([s["a"] for s in sigs], ["ed25519-sha256"],
         "without the option the key decides")
    filter_.kill()
    filter_.configure(SignatureAlgorithm="rsa-sha1", KeyFile=key.path,
                      Selector="r")
    mark = filter_.mark()
    filter_.start()
    t.match("rsa-sha1", filter_.since(mark), "rsa-sha1: a warning")
    t.eq([s["a"] for s in _answer(filter_, "a@example.com")[0]],
         ["rsa-sha256"], "and rsa-sha256 is what is made")


def hosts(t, env):
    """InternalHosts: IPv6, CIDR with host bits, names, negation, brackets"""
    cases = (
        ("::1", {"::1": 1, "127.0.0.1": 0, "2001:db8::1": 0}),
        ("2001:db8::/32,[2001:db9::1],127.0.0.1",
         {"2001:db8:1::5": 1, "2001:db9::1": 1, "2001:db9::2": 0,
          "2001:DB8:0:0:0:0:0:7": 1, "127.0.0.1": 1, "::1": 0}),
        ("10.0.0.1/8,!10.9.0.0/16,10.9.9.9",
         {"10.200.3.4": 1, "10.9.0.1": 0, "10.9.9.9": 1, "11.0.0.1": 0}),
        ("-", {"127.0.0.1": 0, "::1": 0}),
        ("host.inside.example,.sub.example", {
            ("192.0.2.1", "host.inside.example"): 1,
            ("192.0.2.1", "x.inside.example"): 0,
            ("192.0.2.1", "a.b.sub.example"): 1,
            ("192.0.2.1", "HOST.inside.EXAMPLE"): 1}),
    )
    filter_, key = _plain(env, Mode="s")
    for value, wants in cases:
        filter_.configure(InternalHosts=value)
        mark = filter_.mark()
        filter_.start()
        got = {}
        for client in wants:
            addr, name = client if isinstance(client, tuple) else (
                client, "client.example.net")
            got[client] = len(_domains(filter_, "a@example.com", addr=addr,
                                       name=name))
        t.eq(got, wants, "InternalHosts " + value)
        if "10.0.0.1/8" in value:
            t.match(r"10\.0\.0\.1/8", filter_.since(mark),
                    "host bits are warned about")
        filter_.kill()
    filter_.configure(InternalHosts=None)
    filter_.start()
    t.eq([len(_domains(filter_, "a@example.com", addr=a)) for a in (
        "127.0.0.1", "::1", "127.0.0.2", None)], [1, 1, 0, 1],
        "built in: 127.0.0.1, ::1, and a client without an address")


def percent_in_paths(t, env):
    """% in KeyTable: hostile From domains open no file (problem 53)"""
    names = ("good.example", "secret/other", "x", "y", "good.example/../x")
    paths = {}
    for name in names:
        made = keys.make(env, "k", "s", bits=1024,
                         folder="doms/" + os.path.normpath(name))
        path = os.path.join(os.path.dirname(made.path), "key.pem")
        os.rename(made.path, path)
        paths[name] = path
    for folder, folders, _ in os.walk(env.path("doms")):
        os.chmod(folder, 0o700)
        if os.geteuid() == 0:
            os.chown(folder, env.user.uid, env.user.gid)
    filter_ = _tables(env, ["any %%:s:%s/doms/%%/key.pem" % env.dir],
                      ["* any"]).start()
    watch = Opens(env, set(paths.values()))
    t.eq(_domains(filter_, "a@good.example"), ["good.example"],
         "control: a clean domain is signed by its own key")
    t.eq(watch.opened(), {paths["good.example"]},
         "control: its file was opened")
    for sender in ("a@../doms/secret/other", "a@secret/other", 'a@"../x"',
                   "a@[../x]", "a@x/../y", "a@good.example/../x", "a@.",
                   "a@..", "a@good.example/", "a@good..example",
                   "<a@x/../y>", '"a@good.example" <b@x/../y>', "a@x%2fy",
                   "a@x\\y", "a@x"):
        sigs, answer = _answer(filter_, sender)
        t.ok(sigs == [] and answer.code in "ac",
             "From: %s: passed unsigned" % sender, sigs, answer)
    t.eq(watch.opened(), set(), "and no file was opened")
    t.eq(_domains(filter_, "A <a@GOOD.Example>"), ["good.example"],
         "capitals are folded")


def socket_rights(t, env):
    """owner, group and mode of the socket; stale and busy sockets"""
    tap.need_root()
    filter_, key = _plain(env)
    filter_.start()
    st = os.stat(filter_.socket)
    group = grp.getgrgid(os.stat(os.path.dirname(filter_.socket)).st_gid)
    t.eq((st.st_uid, st.st_gid, oct(stat.S_IMODE(st.st_mode))),
         (env.user.uid, group.gr_gid, "0o770"),
         "made as the user, in the folder's group, by UMask 007")
    line = [s for s in filter_.log().splitlines() if filter_.socket in s]
    t.ok(line and any(env.user.name in s and group.gr_name in s
                      and "770" in s for s in line),
         "the log tells owner, group and mode", filter_.log())
    other = Filter(env, filter_.options, name="second",
                   socket_path=filter_.socket)
    code, said = other.attempt(timeout=10)
    t.ok(code not in (0, None), "a busy socket: a second start fails", code)
    t.match(re.escape(filter_.socket), said, "and names it")
    t.eq(_domains(filter_, "a@example.com"), ["example.com"],
         "the first still serves")
    # neither may see the other's end and tidy up
    milter = filter_.milter_pid()
    os.kill(milter, signal.SIGSTOP)
    filter_.proc.kill()
    filter_.proc.wait()
    os.kill(milter, signal.SIGKILL)
    t.ok(wait_until(lambda: not filter_._connects(), 20)
         and os.path.exists(filter_.socket), "control: a stale socket stays")
    filter_.start()
    t.eq(_domains(filter_, "a@example.com"), ["example.com"],
         "a stale socket is replaced")
    filter_.kill()
    os.chmod(os.path.dirname(filter_.socket), 0o2740)
    mark = filter_.mark()
    filter_.start(wait=False)
    folder = re.escape(os.path.dirname(filter_.socket))
    t.ok(filter_.wait_log(folder + r"(?!/sock)", 20, mark),
         "a folder its group cannot enter is named", filter_.since(mark))


def inet_sockets(t, env):
    """inet sockets: open to all warns, Postfix's order is understood"""
    filter_, key = _plain(env)
    for form, warns in (("inet:%d@localhost", False),
                        ("inet:%d@127.0.0.1", False),
                        ("inet:127.0.0.1:%d", False)):
        port = free_port()
        filter_.configure(Socket=form % port)
        mark = filter_.mark()
        filter_.start(wait=False)

        def up():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", port)) == 0
        t.ok(wait_until(up, 20), "%s: it listens" % form, filter_.since(mark))
        said = filter_.since(mark)
        t.eq(bool(re.search("(?i)all (interfaces|addresses)|every"
                            "|anybody|whoever", said)),
             warns, "%s: no warning about who can reach it" % form, said)
        filter_.kill()
    # not started: it would listen on every interface of this machine
    filter_.configure(Socket="inet:%d" % free_port())
    code, said = filter_.attempt("-n")
    t.eq(code, 0, "inet:port is allowed", said)
    t.match("(?i)all (interfaces|addresses)|every|anybody|whoever", said,
            "with a warning about who can reach it")


def _status(pid):
    with open("/proc/%d/status" % pid) as f:
        return dict(re.findall(r"^(\w+):\s*(.*)$", f.read(), re.M))


def privileges(t, env):
    """rights are dropped, no core, not dumpable, a session of its own"""
    tap.need_root()
    filter_, key = _plain(env)
    filter_.start()
    pid = filter_.milter_pid()
    got = _status(pid)
    t.eq(set(got["Uid"].split()), {str(env.user.uid)}, "user ids")
    t.eq(set(got["Gid"].split()), {str(env.user.gid)}, "group ids")
    t.ok("0" not in got["Groups"].split(), "not in root's group",
         got["Groups"])
    t.eq(int(got["CapEff"], 16) | int(got["CapPrm"], 16), 0,
         "no capabilities")
    for name, one in (("milter process", pid),
                      ("supervisor", filter_.proc.pid)):
        with open("/proc/%d/limits" % one) as f:
            limits = f.read()
        t.match(r"^Max core file size\s+0\s+0\s", limits,
                name + ": core limit 0")
        # a dumpable process of another user than root owns its own
        t.eq(os.stat("/proc/%d/mem" % one).st_uid, 0,
             name + ": not dumpable: /proc/PID/mem is root's")
    with open("/proc/%d/stat" % pid) as f:
        session = f.read().rsplit(")", 1)[1].split()[3]
    t.eq(int(session), pid, "it leads a session of its own")
    t.eq(set(_status(filter_.proc.pid)["Uid"].split()), {"0"},
         "the supervisor stays root")


def notify(t, env):
    """sd_notify: READY, RELOADING, STATUS, STOPPING from the supervisor"""
    filter_, key = _plain(env)
    path = env.path("notify")
    inbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    inbox.bind(path)
    os.chmod(path, 0o777)
    inbox.settimeout(5)
    said = []

    def hear(word, seconds=6):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if any(word in s for s in said):
                return True
            try:
                said.append(inbox.recv(4096).decode())
            except socket.timeout:
                break
        return False
    filter_.start(wait=False, environ={"NOTIFY_SOCKET": path})
    t.ok(hear("READY=1"), "READY=1", said)
    t.ok(filter_._connects(), "the socket takes connections by then")
    del said[:]
    filter_.signal(signal.SIGUSR1)
    t.ok(hear("RELOADING=1"), "RELOADING=1 at reload", said)
    t.ok(hear("READY=1"), "READY=1 after it", said)
    del said[:]
    filter_.configure(Moed="s")
    filter_.signal(signal.SIGUSR1)
    t.ok(hear("READY=1"), "READY=1 after a reload that failed", said)
    t.match(r"(?i)STATUS=.*fail", "\n".join(said),
            "and STATUS says that it did", said)
    del said[:]
    filter_.signal(signal.SIGTERM)
    t.ok(hear("STOPPING=1"), "STOPPING=1 at stop", said)
    t.eq(filter_.proc.wait(15), 0, "exit 0")
    inbox.close()


def background(t, env):
    """Background yes: the parent leaves when the socket is up"""
    filter_, key = _plain(env, Background="yes",
                          PidFile=env.path("dkimd.pid"))
    filter_.foreground = ()
    code, said = filter_.attempt()
    t.eq(code, 0, "the parent leaves with 0", said)
    t.ok(filter_._connects(), "the socket takes connections by then")
    with open(env.path("dkimd.pid")) as f:
        pid = int(f.read())
    env.defer(_gone, pid)
    with open("/proc/%d/cmdline" % pid) as f:
        t.match("dkimd", f.read(), "PidFile names a dkimd")
    t.eq(_domains(filter_, "a@example.com"), ["example.com"], "it signs")
    os.kill(pid, signal.SIGTERM)
    t.ok(wait_until(lambda: not os.path.exists("/proc/%d" % pid)
                    or _status(pid)["State"].startswith("Z"), 12),
         "SIGTERM to that process ends it")
    filter_.configure(Socket="local:" + env.path("nowhere", "sock"))
    code, said = filter_.attempt()
    t.eq(code, 78, "a failed start is the parent's exit code", said)


def _gone(pid):
    try:
        with open("/proc/%d/cmdline" % pid) as f:
            if "dkimd" in f.read():
                os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def command_line(t, env):
    """values of the command line beat the file, also after a reload"""
    filter_, key = _plain(env)
    other = os.path.join(env.socket_dir("other"), "sock")
    filter_.socket = other
    filter_.start("-p", "local:" + other)
    t.ok(filter_._connects(), "-p: the socket of the command line")
    mark = filter_.mark()
    filter_.signal(signal.SIGUSR1)
    filter_.wait_log("(?i)reload", mark=mark)
    time.sleep(0.3)
    t.eq(_domains(filter_, "a@example.com"), ["example.com"],
         "still there after a reload")
    done = run([filter_.command()[0], "-V"])
    t.ok(done.returncode == 0 and b"dkimd" in done.stdout,
         "-V tells the version on stdout", done)


tap.run(configuration_faults, users, obsolete_options, bad_rows, check_option,
        key_rights, root_made_key, key_and_algorithm, hosts, percent_in_paths,
        socket_rights, inet_sockets, privileges, notify, background,
        command_line)
