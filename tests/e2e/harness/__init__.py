# SPDX-License-Identifier: BSD-2-Clause
"""What the end-to-end tests share: private MTAs, a DNS server that fails on
demand, an SMTP sink, both ends of SMTP, the MTA's end of the milter protocol,
and other people's DKIM programs.

Everything lives in one scratch folder a test, listens on loopback only, and
is ended by process id.
"""
