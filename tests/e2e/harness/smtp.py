# SPDX-License-Identifier: BSD-2-Clause
"""A raw SMTP client, one object a session, any number held open in DATA."""

import base64
import re
import socket


class Refused(Exception):
    """The server answered with other than the expected class of code."""

    def __init__(self, command, reply):
        super().__init__("%s: %s" % (command, reply))
        self.reply = reply


class Client:
    """source is the client address the MTA and its milter will see."""

    def __init__(self, port, source="127.0.0.1", helo="client.example.net",
                 timeout=60):
        self.sock = socket.create_connection(("127.0.0.1", port), timeout,
                                             (source, 0))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.sock.makefile("rb")
        self.greeting = self.read()
        self.features = self.cmd("EHLO " + helo)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        self.stream.close()
        self.sock.close()

    def read(self):
        lines = []
        while True:
            line = self.stream.readline()
            if not line:
                raise ConnectionError("connection closed after %r" % lines)
            lines.append(line.decode("utf-8", "replace").rstrip("\r\n"))
            if not re.match(r"\d{3}-", lines[-1]):
                return "\n".join(lines)

    def put(self, octets):
        self.sock.sendall(octets)

    def ask(self, line):
        """Send a line, return the reply whatever it is."""
        self.put(line.encode() + b"\r\n")
        return self.read()

    def cmd(self, line, want="2"):
        reply = self.ask(line)
        if not reply.startswith(want):
            raise Refused(line.split(" ")[0], reply)
        return reply

    def auth(self, user, password="x"):
        raw = ("\0%s\0%s" % (user, password)).encode()
        return self.cmd("AUTH PLAIN " + base64.b64encode(raw).decode())

    def envelope(self, sender, rcpts, options=""):
        self.cmd(("MAIL FROM:<%s> %s" % (sender, options)).strip())
        for rcpt in [rcpts] if isinstance(rcpts, str) else rcpts:
            self.cmd("RCPT TO:<%s>" % rcpt)

    def begin(self, sender, rcpts, head=b"", options=""):
        """Up to DATA and a first part of the message."""
        self.envelope(sender, rcpts, options)
        self.cmd("DATA", "3")
        self.put(stuff(head))

    def finish(self, rest=b""):
        """The rest, the final dot; the reply, whatever it is."""
        self.put(stuff(rest) + b".\r\n")
        return self.read()

    def send(self, sender, rcpts, message, options=""):
        """A whole message; the reply to its final dot, whatever it is."""
        self.begin(sender, rcpts, message, options)
        return self.finish()


def stuff(octets):
    return re.sub(rb"(?m)^\.", b"..", octets)


def message(sender, rcpt, subject="test", body="Hello.\r\n", extra=()):
    """A plain message with CRLF ends; extra are whole header lines."""
    lines = ["From: " + sender, "To: " + rcpt, "Subject: " + subject,
             "Date: Mon, 30 Nov 2026 10:00:00 +0000",
             "Message-ID: <%s@client.example.net>" % re.sub(
                 r"[^A-Za-z0-9]", ".", subject)]
    head = "\r\n".join(list(extra) + lines).encode() + b"\r\n\r\n"
    return head + (body if isinstance(body, bytes) else body.encode())
