# SPDX-License-Identifier: BSD-2-Clause
"""The judges, each over a whole batch in one process (opendkim and dkim: some
hundred messages a process). A judge gives by file a list of (class, reason),
one a signature from the top; classes are those of RFC 8601, and refused,
crash, none where it gave no verdict a signature."""

import concurrent.futures
import os
import re
import shutil
import subprocess

import reference

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 400     # files in one argument list


class Missing(Exception):
    """This judge is not here; the text says what to install."""


def _run(args, folder, text=""):
    done = subprocess.run(args, cwd=folder, input=text.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), \
        done.stderr.decode("utf-8", "replace")


def _batches(names):
    for i in range(0, len(names), BATCH):
        yield names[i:i + BATCH]


def _rows(text):
    out = {}
    for line in text.split("\n"):
        column = line.split("\t")
        if len(column) >= 4 and not line.startswith("#"):
            out.setdefault(column[0], []).append((column[2], column[3]))
    return out


class Dkim:
    """dkim verify: what is under test."""

    name = "dkimd"

    def __init__(self, program):
        self.program = program

    def verify(self, folder, names):
        out = {}
        for batch in _batches(names):
            code, text, errors = _run(
                [self.program, "verify", "--tsv", "--max-signatures", "20",
                 "--dns", "dns.tsv"] + batch, folder)
            if code not in (0, 1, 65, 75):
                raise RuntimeError("dkim verify: exit %d: %s" % (
                    code, errors[-2000:]))
            out.update(_rows(text))
            for line in errors.splitlines():
                path = line.split(":")[1].strip() if ":" in line else ""
                if path in batch and path not in out:
                    out[path] = [("refused", line)]
        return out

    def sign(self, folder, jobs):
        """Jobs: in, out, key, selector, domain, canon, more arguments."""
        for path, to, key, selector, domain, canon, more in jobs:
            code, _, errors = _sign_one(folder, to, [
                self.program, "sign", "-d", domain, "-s", selector, "-k",
                key, "-c", canon, *more, path])
            if code != 0:
                raise RuntimeError("dkim sign %s: exit %d: %s" % (
                    path, code, errors))


def _sign_one(folder, to, args):
    with open(os.path.join(folder, to), "wb") as f:
        done = subprocess.run(args, cwd=folder, stdout=f,
                              stderr=subprocess.PIPE, check=False)
    return done.returncode, None, done.stderr.decode("utf-8", "replace")


class _Helper:
    """A program of this folder, which is judge and signer."""

    def __init__(self):
        self.program = os.path.join(HERE, self.script)
        try:
            code, _, errors = _run([self.program, "probe"], HERE)
        except OSError as why:
            raise Missing(self.missing) from why
        if code != 0:
            raise Missing(self.missing)

    def verify(self, folder, names):
        code, text, errors = _run([self.program, "verify", "dns.tsv"],
                                  folder, "\n".join(names) + "\n")
        if code != 0:
            raise RuntimeError("%s: exit %d: %s" % (self.script, code,
                                                    errors[-2000:]))
        return self.read(folder, text)

    def read(self, folder, text):
        return _rows(text)

    def sign(self, folder, jobs):
        lines = "".join("\t".join(job) + "\n" for job in jobs)
        _, _, errors = _run([self.program, "sign"], folder, lines)
        return errors


class Dkimpy(_Helper):
    name, script = "dkimpy", "judge-dkimpy"
    missing = "no python3-dkim or no python3-nacl"


class MailDkim(_Helper):
    name, script = "maildkim", "judge-maildkim"
    missing = "no libmail-dkim-perl"

    def read(self, folder, text):
        """It leaves out fields that it cannot parse: put in a row for each,
        found by the text of b=."""
        rows = {}
        for line in text.splitlines():
            column = line.split("\t")
            rows.setdefault(column[0], []).append(column)
        return {path: _placed(os.path.join(folder, path), found)
                for path, found in rows.items()}


def _placed(path, found):
    plain = [(c[2], c[3]) for c in found]
    with open(path, "rb") as f:
        try:
            fields, _ = reference.split(f.read())
        except reference.NoMessage:
            return plain
    own = reference.own_fields(fields)
    if len(own) == len(found) or found[0][2] in ("none", "crash"):
        return plain
    out, at = [], 0
    for i in own:
        value = re.sub(rb"\s+", b"", fields[i][1])
        b = re.sub(r"\s+", "", found[at][4] if at < len(found) and
                   len(found[at]) > 4 else "\0")
        whole = all(b"=" in spec for spec in value.split(b";") if spec)
        if b.encode() in value and whole:
            out.append(plain[at])
            at += 1
        else:
            out.append(("permerror", "left out"))
    return out


class Opendkim:
    """opendkim -t, whose field Authentication-Results has the verdicts."""

    name = "opendkim"
    missing = "no opendkim"

    def __init__(self):
        self.program = shutil.which(
            "opendkim", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if not self.program or not shutil.which("stdbuf"):
            raise Missing(self.missing)

    def write_zone(self, folder, zone):
        """TestDNSData: what its format cannot say is left out."""
        with open(os.path.join(folder, "opendkim.zone"), "wb") as f:
            for name, values in zone.items():
                if values and not values[0].startswith(b"!") and re.match(
                        rb"[^\x00-\x20#][^\x00\r\n#]*$", values[0]):
                    f.write(name + b" " + values[0] + b"\n")
        with open(os.path.join(folder, "opendkim.conf"), "w",
                  encoding="ascii") as f:
            f.write("TestDNSData file:%s\nMode v\nSyslog no\n"
                    "InternalHosts csl:192.0.2.1\nAlwaysAddARHeader yes\n"
                    "AuthservID peer.example\nOn-Default accept\n"
                    % os.path.join(os.path.abspath(folder),
                                   "opendkim.zone"))

    def verify(self, folder, names):
        """Two halves at once: it starts anew behind each message that it
        gives up, and waits most of that time."""
        out = {}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for part in pool.map(lambda half: self._verify(folder, half),
                                 (names[::2], names[1::2])):
                out.update(part)
        return out

    def _verify(self, folder, names):
        out, left = {}, list(names)
        while left:
            batch = left[:BATCH]
            done = subprocess.run(
                ["stdbuf", "-o0", self.program, "-x", "opendkim.conf",
                 "-vvv", "-t", ",".join(batch)], cwd=folder,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                check=False)
            text = done.stdout.decode("utf-8", "replace")
            found = _results(text, set(batch))
            out.update(found)
            # it ends at the first message that it gives up
            while batch and batch[0] in found:
                batch.pop(0)
                left.pop(0)
            if batch and done.returncode == 0:
                raise RuntimeError("opendkim passes over " + batch[0])
            if batch and not found:
                out[left.pop(0)] = [("crash", "exit %d: %s" % (
                    done.returncode, text[-300:]))]
        return out


def _results(text, names):
    """The fields inserted before each end of message."""
    out, field = {}, None
    for line in text.split("\n"):
        if line.startswith("### INSHEADER"):
            field = []
        if field is not None and not line.startswith("opendkim:"):
            field.append(line)
        m = re.match(r"opendkim: ([^:]+): (.*)", line)
        if not m or m.group(1) not in names:
            continue
        verdicts = re.findall(r"\bdkim=(\w+)(?:\s+reason=\"([^\"]*)\")?",
                              "\n".join(field or []))
        if "mlfi_eom()" in line or (verdicts and m.group(1) not in out):
            out[m.group(1)] = verdicts or [("refused", m.group(2))]
            field = None
        elif "returned SMFIS_" in line and "CONTINUE" not in line:
            out[m.group(1)] = [("refused", m.group(2))]
            field = None
        elif m.group(1) in out and out[m.group(1)][0][0] == "refused":
            out[m.group(1)] = [("refused", m.group(2))]
    return out
