# SPDX-License-Identifier: BSD-2-Clause
"""A mail site in a scratch folder: an MTA, the filter, DNS, recipients.

example.com is ours, signed with selector r; example.net is a stranger whose
key is published; INTERNAL and FOREIGN are client addresses.
"""

from . import keys
from .daemon import Filter
from .dns import Server
from .mta_postfix import Postfix
from .mta_sendmail import Sendmail
from .sasl import Auth
from .sink import Sink
from .smtp import Client

INTERNAL = "127.0.0.1"
FOREIGN = "127.0.0.9"
OURS = "a@example.com"
THEIRS = "x@example.net"

_SASL = """\
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:%d
smtpd_sasl_security_options = noanonymous
"""


class Site:
    """options: of the filter, on top of the site's own; mta: postfix,
    sendmail or None."""

    def __init__(self, env, options=None, mta="postfix", more="",
                 listeners=None, milters=None):
        self.env = env
        self.ours = keys.make(env, "example.com", "r", bits=2048)
        self.theirs = keys.make(env, "example.net", "n", folder="theirs",
                                owner=False)
        self.zone = keys.zone(self.ours, self.theirs)
        self.dns = Server(env, self.zone)
        self.sink = Sink(env)
        self.options = {
            "Mode": "sv", "Domain": "example.com", "Selector": "r",
            "KeyFile": self.ours.path, "InternalHosts": INTERNAL,
            "Nameservers": self.dns.address, "AlwaysAddARHeader": "yes",
        }
        self.options.update(options or {})
        self.mta = None
        if mta == "postfix":
            auth = Auth(env)
            kw = {} if milters is None else {"milters": milters}
            self.mta = Postfix(env, self.sink.port, listeners=listeners,
                               more=_SASL % auth.port + more, **kw)
            self.filter = Filter(env, self.options,
                                 socket_path=self.mta.socket_path())
        else:
            self.filter = Filter(env, self.options)
            if mta == "sendmail":
                self.mta = Sendmail(env, self.sink.port, self.filter.socket)

    def start(self):
        self.filter.start()
        if self.mta:
            self.mta.start()
        return self

    def client(self, source=INTERNAL, port=None, **kw):
        return Client(port or self.mta.port, source, **kw)

    def send(self, message, sender=OURS, rcpts="b@dest.example",
             source=INTERNAL, options="", user=None, port=None):
        """One message in a session of its own; the reply to its dot."""
        with self.client(source, port) as c:
            if user:
                c.auth(user)
            return c.send(sender, rcpts, message, options)

    def through(self, message, rcpt, **kw):
        """Send to rcpt, which is new; the recipient's copy."""
        reply = self.send(message, rcpts=rcpt, **kw)
        if not reply.startswith("250"):
            raise AssertionError("not accepted: " + reply)
        return self.sink.one(rcpt).data
