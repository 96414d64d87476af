# SPDX-License-Identifier: BSD-2-Clause
"""Signatures that are none, put beside a good one; all are permerror."""

FIELDS = {
    "words": b" this is no signature",
    "empty": b"",
    "only-v": b" v=1",
    "unknown-version": b" v=2; a=rsa-sha256; d=example.com; s=rsa1024; h=From;"
                       b" bh=AAAA; b=AAAA",
    "no-key": b" v=1; a=rsa-sha256; d=example.com; s=absent; h=From;"
              b" bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA",
    "no-from": b" v=1; a=rsa-sha256; d=example.com; s=rsa1024; h=To;"
               b" bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA",
    "sha1": b" v=1; a=rsa-sha1; d=example.com; s=rsa1024; h=From;"
            b" bh=2jmj7l5rSw0yVb/vlWAYkK/YBwk=; b=AAAA",
    "high": b" v=1; \xff\xfe=1; d=\xe4.example; s=a; h=From; bh=AA; b=AA",
    "many-tags": b" " + b"; ".join(b"t%d=1" % i for i in range(80)),
}
