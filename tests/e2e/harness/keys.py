# SPDX-License-Identifier: BSD-2-Clause
"""Keys and key records, made by openssl(1): not by the program under test."""

import base64
import os

from .env import run


class Key:
    """A private key file and the TXT record that belongs to it."""

    def __init__(self, path, domain, selector, kind, record):
        self.path, self.domain, self.selector = path, domain, selector
        self.kind, self.record = kind, record

    @property
    def name(self):
        return "%s._domainkey.%s" % (self.selector, self.domain)


def _openssl(*args, data=None):
    done = run(["openssl"] + list(args), input=data)
    if done.returncode != 0:
        raise RuntimeError("openssl %s: %s" % (args[0], done.stderr.decode()))
    return done.stdout


def make(env, domain, selector, kind="rsa", bits=2048, owner=True,
         folder="keys", flags=""):
    """A fresh key in folder (0700, the daemon's), and its record."""
    user = env.user if owner and os.geteuid() == 0 else None
    home = env.path(folder)
    os.makedirs(home, mode=0o700, exist_ok=True)
    if user:
        os.chown(home, user.uid, user.gid)
    if kind == "rsa":
        pem = _openssl("genpkey", "-algorithm", "RSA", "-pkeyopt",
                       "rsa_keygen_bits:%d" % bits)
    else:
        pem = _openssl("genpkey", "-algorithm", "ed25519")
    spki = _openssl("pkey", "-pubout", "-outform", "DER", data=pem)
    public = spki if kind == "rsa" else spki[-32:]
    record = "v=DKIM1; k=%s; %sp=%s" % (
        kind, flags, base64.b64encode(public).decode())
    path = env.write(os.path.join(folder, "%s.%s.pem" % (selector, domain)),
                     pem, 0o600, user)
    return Key(path, domain, selector, kind, record)


def replace(env, key, kind="rsa", bits=2048):
    """Another key pair under the same names, put in place by rename(2)."""
    new = make(env, key.domain, key.selector, kind, bits, folder="new-keys")
    os.rename(new.path, key.path)
    return Key(key.path, key.domain, key.selector, kind, new.record)


def zone(*keys):
    """Name to record, as the DNS server and the peers want it."""
    return {k.name: k.record for k in keys}
