# SPDX-License-Identifier: BSD-2-Clause
"""Packets that no MTA sends: what dkimd must end the session on, and live."""

import socket
import struct

from .milter import ALL_ACTIONS, ALL_STEPS, packet, z

CONNECT = z("host") + b"4" + struct.pack(">H", 25) + z("127.0.0.1")
OPT = packet(b"O", struct.pack(">III", 6, ALL_ACTIONS, ALL_STEPS))

# name: octets sent on a fresh connection; CUT ends the sending there
CASES = {
    "nothing at all": b"",
    "half a length": b"\0\0",
    "length only": b"\0\0\0\x10",
    "length 0": b"\0\0\0\0",
    "length 4 GB": b"\xff\xff\xff\xffOxxxx",
    "length 2 GB, sign bit": b"\x80\x00\x00\x00O",
    "length 1 MB announced, 10 octets sent": b"\0\x10\0\0" + b"O" * 10,
    "mid-packet end in negotiation": OPT[:9],
    "negotiation too short": packet(b"O", b"\0\0"),
    "negotiation of version 0": packet(b"O", struct.pack(">III", 0, 0, 0)),
    "negotiation of version 2^32-1": packet(b"O", b"\xff" * 12),
    "negotiation without rights": packet(b"O", struct.pack(">III", 6, 0, 0)),
    "negotiation twice": OPT + OPT,
    "unknown command": OPT + packet(b"?", b"what"),
    "command 0": OPT + packet(b"\0"),
    "command 255": OPT + packet(b"\xff" * 300),
    "unknown command first": packet(b"Z", b"x" * 100),
    "HTTP": b"GET / HTTP/1.0\r\nHost: x\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"r" * 50,
    "connect without NUL": OPT + packet(b"C", b"hostname-without-end"),
    "connect empty": OPT + packet(b"C"),
    "connect cut after family": OPT + packet(b"C", z("h") + b"4"),
    "connect cut in port": OPT + packet(b"C", z("h") + b"4\0"),
    "connect address without NUL": OPT + packet(
        b"C", z("h") + b"4\0\x19" + b"127.0.0.1"),
    "connect with an unknown family": OPT + packet(
        b"C", z("h") + b"Q\0\x19" + z("x")),
    "connect with no address": OPT + packet(
        b"C", z("h") + b"4\0\x19" + z("not an address")),
    "connect with a path": OPT + packet(
        b"C", z("h") + b"L\0\0" + z("/" + "x" * 5000)),
    "helo without NUL": OPT + packet(b"C", CONNECT) + packet(b"H", b"helo"),
    "mail empty": OPT + packet(b"C", CONNECT) + packet(b"M"),
    "mail without NUL": OPT + packet(b"C", CONNECT) + packet(
        b"M", b"<a@example.com>"),
    "rcpt before mail": OPT + packet(b"C", CONNECT) + packet(
        b"R", z("<b@dest.example>")),
    "rcpt without NUL": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"R", b"<b@dest.example>"),
    "macros without NUL": OPT + packet(b"D", b"Cj"),
    "macros: odd number of strings": OPT + packet(b"D", b"C" + z("j")),
    "macros for no command": OPT + packet(b"D"),
    "macros for an unknown command": OPT + packet(b"D", b"!" + z("j", "x")),
    "header without NUL": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"L", b"From"),
    "header without a value": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"L", z("From")),
    "header value without NUL": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"L", z("From") + b" a@b"),
    "header empty": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"L"),
    "header with three strings": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"L", z("From", " a", "b")),
    "header of 200 KB": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"L", z("From", "x" * 200000)),
    "header before mail": OPT + packet(b"L", z("From", " a@example.com")),
    "header name of nothing": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"L", z("", " x")) + packet(
            b"N") + packet(b"E"),
    "header name with control octets": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"L", z("Fr\r\nom:", " x"))
    + packet(b"N") + packet(b"E"),
    "body before header": OPT + packet(b"C", CONNECT) + packet(b"B", b"text"),
    "body of 1 MB in a packet": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"N") + packet(
            b"B", b"x" * 1048576),
    "end of message first": OPT + packet(b"E"),
    "end of message after connect": OPT + packet(b"C", CONNECT)
    + packet(b"E"),
    "end of header first": OPT + packet(b"N"),
    "end of message twice": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) + packet(b"N") + packet(b"E") * 2,
    "abort first": OPT + packet(b"A"),
    "abort 1000 times": OPT + packet(b"A") * 1000,
    "quit first": packet(b"Q"),
    "new connection first": packet(b"K"),
    "quit with junk behind": OPT + packet(b"Q", b"junk") + b"more junk",
    "mail twice": OPT + packet(b"C", CONNECT) + packet(
        b"M", z("<a@example.com>")) * 2,
    "unknown SMTP command without NUL": OPT + packet(b"C", CONNECT) + packet(
        b"U", b"XYZZY"),
    "random octets": bytes(i * 167 % 251 for i in range(4096)),
}


def send(path, octets):
    """What becomes of the connection: "closed", or "open" after 4 s."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(4)
        s.connect(path)
        try:
            s.sendall(octets)
            s.shutdown(socket.SHUT_WR)
            while s.recv(65536):
                pass
            return "closed"
        except (BrokenPipeError, ConnectionResetError):
            return "closed"
        except socket.timeout:
            return "open"
