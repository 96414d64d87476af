# SPDX-License-Identifier: BSD-2-Clause
"""The MTA's end of the milter protocol, version 6, over a UNIX socket.

Written from the packet layouts of Sendmail's mfdef.h; it can also send what
no MTA would.
"""

import collections
import socket
import struct

ALL_ACTIONS = 0x1ff
ALL_STEPS = 0x1fffff
NOCONNECT, NOHELO, NOMAIL, NORCPT = 0x1, 0x2, 0x4, 0x8
NOBODY, NOHDRS, NOEOH, NR_HDR = 0x10, 0x20, 0x40, 0x80
NOUNKNOWN, NODATA, SKIP, RCPT_REJ = 0x100, 0x200, 0x400, 0x800
NR_CONN, NR_HELO, NR_MAIL, NR_RCPT = 0x1000, 0x2000, 0x4000, 0x8000
NR_DATA, NR_UNKN, NR_EOH, NR_BODY = 0x10000, 0x20000, 0x40000, 0x80000
LEADSPC = 0x100000

# accept, discard, connection failure, reject, tempfail, reply text, 421
FINAL = "adfrty4"

Reply = collections.namedtuple("Reply", "code data changes progress")


def packet(command, payload=b""):
    return struct.pack(">I", len(payload) + 1) + command + payload


def z(*words):
    """NUL-ended strings, one after the other."""
    return b"".join((w if isinstance(w, bytes) else w.encode()) + b"\0"
                    for w in words)


class Closed(Exception):
    """The filter closed the connection."""


class Session:
    """One connection to the filter."""

    def __init__(self, path, timeout=60, actions=ALL_ACTIONS,
                 steps=ALL_STEPS, negotiate=True):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(timeout)
        self.sock.connect(path)
        self.steps = self.actions = 0
        if negotiate:
            self.put(b"O", struct.pack(">III", 6, actions, steps))
            code, data = self.get()
            if code != b"O":
                raise AssertionError("negotiation answered %r" % code)
            _, self.actions, self.steps = struct.unpack(">III", data[:12])

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.sock.close()

    def raw(self, octets):
        self.sock.sendall(octets)

    def put(self, command, payload=b""):
        self.raw(packet(command, payload))

    def _read(self, n):
        out = b""
        while len(out) < n:
            piece = self.sock.recv(n - len(out))
            if not piece:
                raise Closed()
            out += piece
        return out

    def get(self):
        n = struct.unpack(">I", self._read(4))[0]
        data = self._read(n)
        return data[:1], data[1:]

    def reply(self):
        """The final answer to a command, with what came before it."""
        changes, progress = [], 0
        while True:
            code, data = self.get()
            if code == b"p":
                progress += 1
            elif code in b"himb+-2eq":
                changes.append(_change(code, data))
            else:
                return Reply(code.decode(), data, changes, progress)

    def step(self, command, payload, no, noreply):
        """Send unless negotiated away; the answer unless none is due."""
        if no and self.steps & no:
            return None
        self.put(command, payload)
        if noreply and self.steps & noreply:
            return None
        return self.reply()

    def macros(self, stage, **values):
        words = []
        for name, value in values.items():
            words += [name if len(name) == 1 else "{%s}" % name, value]
        self.put(b"D", stage + z(*words))

    def connect(self, host="client.example.net", addr="127.0.0.1",
                daemon="smtpd"):
        self.macros(b"C", j="mta.example.com", daemon_name=daemon)
        if addr is None:  # a local program: SMFIA_UNKNOWN
            payload = z(host) + b"U"
        else:
            payload = (z(host) + (b"6" if ":" in addr else b"4")
                       + struct.pack(">H", 25) + z(addr))
        answer = self.step(b"C", payload, NOCONNECT, NR_CONN)
        self.step(b"H", z("client.example.net"), NOHELO, NR_HELO)
        return answer

    def envelope(self, sender="a@example.com", rcpts=("b@example.net",),
                 queue_id="4ABCDE", **macros):
        macros.setdefault("i", queue_id)
        self.macros(b"M", **macros)
        answer = self.step(b"M", z("<%s>" % sender), NOMAIL, NR_MAIL)
        if answer and answer.code in FINAL:
            return answer
        for rcpt in rcpts:
            answer = self.step(b"R", z("<%s>" % rcpt), NORCPT, NR_RCPT)
        self.step(b"T", b"", NODATA, NR_DATA)
        return answer

    def content(self, message, chunk=65535):
        """Header fields, end of header, body: all but end of message.

        The filter's answer when it ended the message early, else None.
        """
        head, _, body = message.partition(b"\r\n\r\n")
        for name, value in fields(head):
            if not self.steps & LEADSPC:
                value = value[1:] if value.startswith(b" ") else value
            answer = self.step(b"L", z(name, value.replace(b"\r\n", b"\n")),
                               NOHDRS, NR_HDR)
            if answer and answer.code in FINAL:
                return answer
        answer = self.step(b"N", b"", NOEOH, NR_EOH)
        if answer and answer.code in FINAL:
            return answer
        for at in range(0, len(body), chunk):
            answer = self.step(b"B", body[at:at + chunk], NOBODY, NR_BODY)
            if answer and answer.code == "s":
                break
            if answer and answer.code in FINAL:
                return answer
        return None

    def end(self):
        self.put(b"E")
        return self.reply()

    def message(self, message, **envelope):
        """A whole message; the answer to end of message, or an earlier one
        that ended it."""
        answer = self.envelope(**envelope)
        if answer and answer.code in FINAL:
            return answer
        return self.content(message) or self.end()

    def quit(self):
        self.put(b"Q")
        self.sock.close()


def fields(head):
    """(name, value) of a header block; values keep their leading space."""
    out = []
    for line in head.split(b"\r\n"):
        if line[:1] in (b" ", b"\t") and out:
            out[-1] = (out[-1][0], out[-1][1] + b"\r\n" + line)
        elif b":" in line:
            name, _, value = line.partition(b":")
            out.append((name, value))
    return out


def _change(code, data):
    if code in b"im":
        index = struct.unpack(">I", data[:4])[0]
        name, value = data[4:].split(b"\0")[:2]
        return (code.decode(), index, name.decode(), value)
    if code == b"h":
        name, value = data.split(b"\0")[:2]
        return (code.decode(), None, name.decode(), value)
    return (code.decode(), None, None, data)


def apply(message, changes):
    """The message as the MTA would pass it on: changes in their order."""
    head, _, body = message.partition(b"\r\n\r\n")
    got = [list(f) for f in fields(head)]
    originals = list(got)
    for kind, index, name, value in changes:
        if kind == "b":
            raise AssertionError("the filter replaced the body")
        if name is None:
            continue
        new = [name.encode(), value.replace(b"\n", b"\r\n")]
        if kind == "i":
            got.insert(min(index, len(got)), new)
        elif kind == "h":
            got.append(new)
        elif kind == "m":
            same = [f for f in originals
                    if f[0].lower() == name.lower().encode()
                    and any(f is g for g in got)]
            if index <= len(same):
                target = same[index - 1]
                if value:
                    target[1] = new[1]
                else:
                    got = [g for g in got if g is not target]
    lines = b"".join(n + b":" + v + b"\r\n" for n, v in got)
    return lines + b"\r\n" + body
