# SPDX-License-Identifier: BSD-2-Clause
"""A DNS server that answers TXT from a table and fails on demand.

A zone entry is a string (one TXT record), a list of strings (several), or
one of the objects made by the functions below. UDP and TCP, one port.
"""

import collections
import os
import socket
import struct
import threading

NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5
TXT, CNAME, SOA, OPT = 16, 5, 6, 41

Fault = collections.namedtuple("Fault", "kind value then")


def drop():
    """No answer at all."""
    return Fault("drop", None, None)


def delay(seconds, then):
    return Fault("delay", seconds, then)


def rcode(code):
    return Fault("rcode", code, None)


def truncated(then, tcp=True):
    """TC over UDP whatever the size; over TCP the answer, or no connection."""
    return Fault("tc", tcp, then)


def cname(target):
    return Fault("cname", target, None)


def garbage():
    """Octets that are no DNS answer but for the first twelve."""
    return Fault("garbage", None, None)


def _name(text):
    out = b""
    for label in filter(None, text.split(".")):
        raw = label.encode()
        out += bytes([len(raw)]) + raw
    return out + b"\0"


def _read_name(packet, at):
    labels = []
    while packet[at]:
        n = packet[at]
        labels.append(packet[at + 1:at + 1 + n])
        at += n + 1
    return b".".join(labels).decode("latin-1").lower(), at + 1


def _rr(owner, rtype, rdata, ttl):
    return (_name(owner) + struct.pack(">HHIH", rtype, 1, ttl, len(rdata))
            + rdata)


def _txt(text):
    raw = text if isinstance(text, bytes) else text.encode()
    cuts = [raw[i:i + 255] for i in range(0, len(raw), 255)] or [b""]
    return b"".join(bytes([len(c)]) + c for c in cuts)


class Server:
    """Listens on 127.0.0.1; `zone` and `default` may change while it runs."""

    def __init__(self, env, zone=None, default=None, ttl=300, port=0):
        # the root is there, and has nothing to show: no DNSSEC
        self.zone = dict({"": []}, **(zone or {}))
        self.default = default or rcode(NXDOMAIN)
        self.ttl = ttl
        self.asked = collections.Counter()
        self.lock = threading.Lock()
        for _ in range(20):
            self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            self.udp.bind(("127.0.0.1", port))
            self.port = self.udp.getsockname()[1]
            self.tcp = socket.socket()
            try:
                self.tcp.bind(("127.0.0.1", self.port))
                break
            except OSError:
                self.udp.close()
                self.tcp.close()
        self.tcp.listen(64)
        for loop in (self._udp_loop, self._tcp_loop):
            threading.Thread(target=loop, daemon=True).start()
        env.defer(self.close)

    @property
    def address(self):
        return "127.0.0.1@%d" % self.port

    def close(self):
        self.udp.close()
        self.tcp.close()

    def _udp_loop(self):
        while True:
            try:
                query, peer = self.udp.recvfrom(4096)
            except OSError:
                return
            self._serve(query, False, lambda a, p=peer: self._send(a, p))

    def _send(self, answer, peer):
        try:
            self.udp.sendto(answer, peer)
        except OSError:
            pass

    def _tcp_loop(self):
        while True:
            try:
                conn, _ = self.tcp.accept()
            except OSError:
                return
            threading.Thread(target=self._tcp_one, args=(conn,),
                             daemon=True).start()

    def _tcp_one(self, conn):
        with conn:
            conn.settimeout(20)
            try:
                stream = conn.makefile("rb")
                while True:
                    head = stream.read(2)
                    if len(head) < 2:
                        return
                    query = stream.read(struct.unpack(">H", head)[0])
                    done = threading.Event()

                    def send(a):
                        if a is not None:
                            conn.sendall(struct.pack(">H", len(a)) + a)
                        done.set()
                    if not self._serve(query, True, send):
                        return
                    done.wait(20)
            except OSError:
                return

    def _serve(self, query, tcp, send):
        """Answer one query now or later; False: close the connection."""
        name, at = _read_name(query, 12)
        qtype = struct.unpack(">H", query[at:at + 2])[0]
        with self.lock:
            self.asked[name] += 1
            entry = self.zone.get(name, self.default)
        wait = 0
        while isinstance(entry, Fault) and entry.kind == "delay":
            wait += entry.value
            entry = entry.then
        if isinstance(entry, Fault) and entry.kind == "drop":
            return not tcp
        if isinstance(entry, Fault) and entry.kind == "tc":
            if tcp and not entry.value:
                return False
            answer = (self._answer(query, at, name, qtype, entry.then, True)
                      if tcp else self._head(query, at, 0, tc=True))
        else:
            answer = self._answer(query, at, name, qtype, entry, tcp)
        if wait:
            timer = threading.Timer(wait, send, (answer,))
            timer.daemon = True
            timer.start()
        else:
            send(answer)
        return True

    @staticmethod
    def _head(query, at, code, answers=0, auth=0, tc=False):
        rd = query[2] & 1
        flags = 0x8080 | rd << 8 | (0x0200 if tc else 0) | code
        return (query[:2] + struct.pack(">HHHHH", flags, 1, answers, auth, 0)
                + query[12:at + 4])

    def _answer(self, query, at, name, qtype, entry, tcp):
        if isinstance(entry, Fault) and entry.kind == "garbage":
            return query[:2] + b"\x81\x80" + os.urandom(40)
        if isinstance(entry, Fault) and entry.kind == "rcode":
            soa = b""
            if entry.value == NXDOMAIN:
                soa = _rr(name.split(".", 1)[-1] or ".", SOA,
                          _name("ns.example") + _name("root.example")
                          + struct.pack(">IIIII", 1, 600, 600, 600, 5), 5)
            return self._head(query, at, entry.value,
                              auth=1 if soa else 0) + soa
        rrs, owner = [], name
        for _ in range(16):
            if not (isinstance(entry, Fault) and entry.kind == "cname"):
                break
            rrs.append(_rr(owner, CNAME, _name(entry.value), self.ttl))
            owner = entry.value.lower()
            with self.lock:
                entry = self.zone.get(owner, rcode(NXDOMAIN))
        if qtype == TXT and not isinstance(entry, Fault):
            records = [entry] if isinstance(entry, (str, bytes)) else entry
            rrs += [_rr(owner, TXT, _txt(r), self.ttl) for r in records]
        whole = self._head(query, at, 0, answers=len(rrs)) + b"".join(rrs)
        if not tcp and len(whole) > 1232:
            return self._head(query, at, 0, tc=True)
        return whole
