# SPDX-License-Identifier: BSD-2-Clause
"""A Dovecot-style authentication server for Postfix: PLAIN, any password.

Protocol: Dovecot's auth protocol, version 1.1, as smtpd speaks it with
smtpd_sasl_type = dovecot. Gives us real {auth_type} and {auth_authen}.
"""

import base64
import socketserver
import threading


class _Session(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"VERSION\t1\t1\nMECH\tPLAIN\tplaintext\nSPID\t1\n"
                         b"CUID\t1\nCOOKIE\t" + b"0" * 32 + b"\nDONE\n")
        for raw in self.rfile:
            words = raw.decode().rstrip("\n").split("\t")
            if words[0] != "AUTH":
                continue
            resp = [w[5:] for w in words if w.startswith("resp=")]
            user = base64.b64decode(resp[0]).decode().split("\0")[1]
            self.wfile.write(b"OK\t%s\tuser=%s\n" % (words[1].encode(),
                                                     user.encode()))


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


class Auth:
    def __init__(self, env):
        self.server = _Server(("127.0.0.1", 0), _Session)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever,
                         kwargs={"poll_interval": 0.05}, daemon=True).start()
        env.defer(self.close)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
