# SPDX-License-Identifier: BSD-2-Clause
"""An SMTP server that keeps every message: the recipients of all tests."""

import collections
import socketserver
import threading
import time

Mail = collections.namedtuple("Mail", "sender rcpts options data")


class _Session(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def reply(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def handle(self):
        try:
            self._talk()
        except (OSError, ValueError):
            pass

    def _talk(self):
        sink = self.server.sink
        self.reply("220 sink.example ESMTP")
        self._reset()
        for raw in self.rfile:
            line = raw.decode("utf-8", "surrogateescape").rstrip("\r\n")
            verb = line[:4].upper()
            if verb == "EHLO":
                self.reply("250-sink.example")
                for word in sink.extensions[:-1]:
                    self.reply("250-" + word)
                self.reply("250 " + sink.extensions[-1])
            elif verb == "MAIL":
                self._reset()
                self.sender, self.options = self._path(line)
                self.reply("250 2.1.0 ok")
            elif verb == "RCPT":
                rcpt, _ = self._path(line)
                answer = sink.rcpt_reply(rcpt)
                if answer.startswith("2"):
                    self.rcpts.append(rcpt)
                self.reply(answer)
            elif verb == "DATA":
                self._data(sink)
            elif verb in ("HELO", "NOOP", "RSET"):
                if verb == "RSET":
                    self._reset()
                self.reply("250 2.0.0 ok")
            elif verb == "QUIT":
                self.reply("221 2.0.0 bye")
                return
            else:
                self.reply("500 5.5.2 what")

    def _reset(self):
        self.sender, self.rcpts, self.options = None, [], ""

    @staticmethod
    def _path(line):
        inside = line[line.index("<") + 1:line.rindex(">")]
        return inside, line[line.rindex(">") + 1:].strip()

    def _data(self, sink):
        if not self.rcpts:
            self.reply("503 5.5.1 no recipient")
            return
        self.reply("354 go on")
        lines = []
        for raw in self.rfile:
            if raw == b".\r\n":
                break
            lines.append(raw[1:] if raw.startswith(b".") else raw)
        else:
            return
        sink.add(Mail(self.sender, self.rcpts, self.options,
                      b"".join(lines)))
        self.reply("250 2.0.0 kept")
        self._reset()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


class Sink:
    """mails grows as messages come; recipients 'nouser@...' are refused."""

    def __init__(self, env, extensions=("8BITMIME", "SMTPUTF8", "PIPELINING",
                                        "SIZE 104857600")):
        self.extensions = list(extensions)
        self.mails = []
        self.cond = threading.Condition()
        self.server = _Server(("127.0.0.1", 0), _Session)
        self.server.sink = self
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever,
                         kwargs={"poll_interval": 0.05}, daemon=True).start()
        env.defer(self.close)

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    @staticmethod
    def rcpt_reply(rcpt):
        if rcpt.startswith("nouser"):
            return "550 5.1.1 no such user"
        return "250 2.1.5 ok"

    def add(self, mail):
        with self.cond:
            self.mails.append(mail)
            self.cond.notify_all()

    def wait(self, rcpt=None, count=1, timeout=15, subject=None):
        """The mails for rcpt (all when None), once there are count of them.

        subject narrows by "Subject: <subject>". Fewer when time is up.
        """
        end = time.monotonic() + timeout

        def found():
            want = None if subject is None else (
                b"\nSubject: " + subject.encode() + b"\r\n")
            return [m for m in self.mails
                    if (rcpt is None or rcpt in m.rcpts)
                    and (want is None or want in b"\n" + m.data)]
        with self.cond:
            while len(found()) < count:
                left = end - time.monotonic()
                if left <= 0 or not self.cond.wait(left):
                    break
            return found()

    def one(self, rcpt, timeout=15):
        """The mail for rcpt, or an error that says there is none."""
        got = self.wait(rcpt, 1, timeout)
        if not got:
            raise AssertionError("no mail for %s within %d s" % (rcpt,
                                                                 timeout))
        return got[-1]
