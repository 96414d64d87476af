# SPDX-License-Identifier: BSD-2-Clause
"""Tokens for tests: SoftHSM2 and NSS softokn in scratch folders, p11-kit
configured for both, and the module that fails as it is told. Nothing of the
machine's own token stores is touched."""

import glob
import os
import re
import subprocess

from . import keys
from .env import run
from .tap import SkipAll, need_program

MODULES = ("/usr/lib/softhsm/libsofthsm2.so",
           "/usr/lib64/softhsm/libsofthsm2.so",
           "/usr/local/lib/softhsm/libsofthsm2.so")
NSS_MODULES = ("/usr/lib/*/libsoftokn3.so", "/usr/lib/*/nss/libsoftokn3.so",
               "/usr/lib64/libsoftokn3.so")
P11_KIT = "/usr/share/p11-kit/modules"
# long enough to be in no memory by chance
PIN, SO_PIN = "pin-82641-kq7f0c", "11223344"


def _as_user(env):
    if os.geteuid() != 0:
        return {}
    return {"user": env.user.uid, "group": env.user.gid, "extra_groups": []}


def pin_file(env, name="pin", text=PIN):
    """A PIN file as dkimd-token takes it; its folder is env.path("pins")."""
    return env.write(os.path.join("pins", name), text + "\n", 0o600, env.user)


def prepare(env):
    """What every filter with a token needs in its environment."""
    try:
        os.environ["DKIMD_TOKEN"] = env.program("dkimd-token")
    except RuntimeError:
        raise SkipAll("dkimd-token is not built (libp11-kit-dev)")
    env.defer(os.environ.pop, "DKIMD_TOKEN", None)


class SoftHsm:
    """Tokens by label, all below one folder that is the daemon's."""

    def __init__(self, env):
        need_program("softhsm2-util", "softhsm2")
        prepare(env)
        self.env = env
        self.module = next((m for m in MODULES if os.path.exists(m)), None)
        if self.module is None:
            raise SkipAll("no libsofthsm2.so")
        self.folder = env.path("hsm")
        os.makedirs(self.folder)
        os.chown(self.folder, env.user.uid, env.user.gid)
        os.chmod(self.folder, 0o700)
        conf = env.write("softhsm2.conf", "directories.tokendir = %s\n"
                         "objectstore.backend = file\nlog.level = ERROR\n"
                         % self.folder)
        os.environ["SOFTHSM2_CONF"] = conf
        env.defer(os.environ.pop, "SOFTHSM2_CONF", None)
        self.pin = pin_file(env)
        self.options = {"PKCS11Module": self.module,
                        "PKCS11PINDirectory": env.path("pins")}

    def _util(self, *args):
        done = run(["softhsm2-util", *args], **_as_user(self.env))
        if done.returncode != 0:
            raise RuntimeError("softhsm2-util %s: %s" % (
                " ".join(args), (done.stdout + done.stderr).decode()))

    def token(self, label="mail"):
        self._util("--init-token", "--free", "--label", label,
                   "--so-pin", SO_PIN, "--pin", PIN)
        return label

    def put(self, key, label, token="mail", number="01"):
        """Bring a key made by openssl into a token."""
        self._util("--import", key.path, "--token", token, "--label", label,
                   "--id", number, "--pin", PIN, "--force")
        return self.uri(label, token)

    def delete(self, number, token="mail"):
        need_program("pkcs11-tool", "opensc")
        for kind in ("privkey", "pubkey"):
            done = run(["pkcs11-tool", "--module", self.module,
                        "--token-label", token, "--login", "--pin", PIN,
                        "--delete-object", "--type", kind, "--id", number],
                       **_as_user(self.env))
            if done.returncode != 0:
                raise RuntimeError("pkcs11-tool: " + done.stderr.decode())

    def uri(self, label, token="mail", pin=None):
        return "pkcs11:token=%s;object=%s?pin-source=file:%s" % (
            token, label, pin or self.pin)

    def make(self, domain, selector, kind="rsa", bits=2048, token="mail",
             number="01"):
        """A key of which only the token has the private half."""
        key = keys.make(self.env, domain, selector, kind, bits,
                        folder="imported")
        uri = self.put(key, selector, token, number)
        os.unlink(key.path)
        key.path = uri
        return key


class Nss:
    """NSS softokn: one token, whose label is fixed, in a folder that is the
    daemon's."""

    label = "NSS%20Certificate%20DB"

    def __init__(self, env):
        need_program("certutil", "libnss3-tools")
        prepare(env)
        self.env = env
        found = [m for pattern in NSS_MODULES for m in glob.glob(pattern)]
        if not found:
            raise SkipAll("no libsoftokn3.so (package libnss3)")
        self.module = found[0]
        self.folder = env.path("nss")
        os.makedirs(self.folder)
        os.chown(self.folder, env.user.uid, env.user.gid)
        self.pin = pin_file(env)
        # PBKDF2 with one round, else each use of a key takes 50 ms
        os.environ["NSS_MAX_MP_PBE_ITERATION_COUNT"] = "1"
        env.defer(os.environ.pop, "NSS_MAX_MP_PBE_ITERATION_COUNT", None)
        self._tool("certutil", "-N", "-f", self.pin)
        self.args = ("configdir='sql:%s' certPrefix='' keyPrefix=''"
                     " secmod='secmod.db' flags=" % self.folder)
        # as PKCS11Token wants it: NSS has a second token, without keys
        self.place = "pkcs11:token=%s?pin-source=%s" % (self.label, self.pin)
        self.options = {"PKCS11Module": self.module,
                        "PKCS11InitArgs": self.args,
                        "PKCS11PINDirectory": env.path("pins")}

    def _tool(self, program, *args):
        done = run([program, *args, "-d", "sql:" + self.folder],
                   **_as_user(self.env))
        if done.returncode != 0:
            raise RuntimeError("%s: %s" % (program, done.stderr.decode()))

    def token(self):
        """It is there from the beginning."""

    def uri(self, label):
        return "pkcs11:token=%s;object=%s?pin-source=file:%s" % (
            self.label, label, self.pin)

    def make(self, domain, selector):
        """A key of which only the token has the private half."""
        key = keys.make(self.env, domain, selector, folder="imported")
        both = key.path + ".p12"
        for args in (("req", "-x509", "-key", key.path, "-out",
                      key.path + ".crt", "-subj", "/CN=" + domain),
                     ("pkcs12", "-export", "-inkey", key.path, "-in",
                      key.path + ".crt", "-name", selector, "-passout",
                      "pass:", "-out", both)):
            done = run(["openssl", *args])
            if done.returncode != 0:
                raise RuntimeError("openssl: " + done.stderr.decode())
        os.chown(both, self.env.user.uid, self.env.user.gid)
        self._tool("pk12util", "-i", both, "-k", self.pin, "-W", "")
        os.unlink(both)
        os.unlink(key.path)
        key.path = self.uri(selector)
        return key


def configured(env, *tokens):
    """p11-kit's modules are those of the tokens, for a command that begins
    with what this returns. PKCS11Module is not set."""
    need_program("unshare", "util-linux")
    if not os.path.isdir(P11_KIT):
        raise SkipAll("no %s (package p11-kit-modules)" % P11_KIT)
    for i, one in enumerate(tokens):
        args = getattr(one, "args", None)
        env.write("p11-kit/%d.module" % i, "module: %s\n" % one.module + (
            "x-init-reserved: %s\n" % args if args else ""))
        del one.options["PKCS11Module"]
        one.options.pop("PKCS11InitArgs", None)
    os.environ["P11_KIT_NO_USER_CONFIG"] = "1"
    env.defer(os.environ.pop, "P11_KIT_NO_USER_CONFIG", None)
    return ["unshare", "--mount", "sh", "-c", "mount --bind \"$0\" \"$1\" &&"
            " shift && exec \"$@\"", env.path("p11-kit"), P11_KIT]


class Fake:
    """The module of tests/token: its script names tokens, keys and faults;
    it is read when the module is started."""

    def __init__(self, env, lines):
        prepare(env)
        self.env = env
        self.module = os.path.join(env.build, "tests", "token",
                                   "fake_module.so")
        if not os.path.exists(self.module):
            raise SkipAll("tests/token/fake_module.so is not built")
        self.script = env.path("fake.script")
        self.tell(lines)
        self.pin = pin_file(env, text="1234")
        self.options = {"PKCS11Module": self.module,
                        "PKCS11InitArgs": self.script,
                        "PKCS11PINDirectory": env.path("pins")}

    def tell(self, lines):
        self.env.write(self.script, "".join(s + "\n" for s in lines))

    def uri(self, label, token="mail"):
        return "pkcs11:token=%s;object=%s?pin-source=%s" % (
            token, label, self.pin)


def processes(pid):
    """The processes of dkimd-token under a filter."""
    found = []
    for kid in _children(pid):
        try:
            with open("/proc/%d/comm" % kid) as f:
                if f.read().strip() == "dkimd-token":
                    found.append(kid)
        except OSError:
            pass
        found += processes(kid)
    return found


def _children(pid):
    kids = []
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, task)) as f:
                kids += [int(w) for w in f.read().split()]
    except OSError:
        pass
    return kids


def maps(pid):
    with open("/proc/%d/maps" % pid) as f:
        return f.read()


def has_secret(pid, secret):
    """Is it in the arguments or the environment of a process?"""
    for name in ("cmdline", "environ"):
        with open("/proc/%d/%s" % (pid, name), "rb") as f:
            if secret.encode() in f.read():
                return True
    return False


def memory_with(pid, text):
    """Where in what a process can write this text is: names of mappings.
    This is more than a core would have: nothing is left out of it."""
    found = []
    with open("/proc/%d/mem" % pid, "rb", 0) as mem:
        for line in maps(pid).splitlines():
            m = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)",
                         line)
            if "rw" not in m.group(3):
                continue
            start, stop = (int(m.group(i), 16) for i in (1, 2))
            data = b""
            try:
                while start + len(data) < stop:
                    data += os.pread(mem.fileno(), stop - start - len(data),
                                     start + len(data)) or b"\0"
            except OSError:
                pass    # such as guard pages
            found += [m.group(4) or "anonymous"] * data.count(text.encode())
    return found


def core_limit(pid):
    with open("/proc/%d/limits" % pid) as f:
        return re.search(r"^Max core file size +(\d+) ", f.read(),
                         re.M).group(1)


def strings(path, text):
    """Does a file or folder have this text in it anywhere?"""
    return subprocess.call(["grep", "-rqF", text, path]) == 0
