/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key of 1024 bits for dkimbench: the speed programs of libdkim had one of
 * this size in their source, too. Made for this file (openssl genrsa), known to
 * everybody, under this project's licence: it must never sign real mail.
 */
#ifndef LEGACY_KEY_H
#define LEGACY_KEY_H

static const char legacy_key[] =
    "-----BEGIN RSA PRIVATE KEY-----\n"
    "MIICXQIBAAKBgQDaz1U6sh/NeG1KRyeZ0pAxCVGig58DrPjP1EgzFW/FfbcGMWdJ\n"
    "nBD2JxG7CMNJRh7T1PsiyYvKLe1659mLEsxEoyypU02JGC7V60jkSdqYdcuZWU/M\n"
    "55xgAfzbTuPiw5TEq4j5YXm1bWUoi+RhMvJJdd4wsakmp4zNjXp2umaQ8QIDAQAB\n"
    "AoGBAIqCoMMtKrCYwSY58LmQ7zH7Yi/r/ecHweFd0e50bXKo6AkFkQqpvprzlGe/\n"
    "Xk+uEamqsucMim8Lr78TsUQ2PBMzPqpKPPil2Rp2pe+rNLroM/ZiWYOVKkOpxa00\n"
    "ODuW83hatwWiR2E5Fab0+N0ogKEnHqX5COx5ZqQZCgQgsl55AkEA8P6mHF+S2pDD\n"
    "1XvIiGYQXCrv9dz1biJprIhQI4BKi1DYMNvy2YFtfSvDbYwINHaeWbjRtX6xymZX\n"
    "V7fH9zNZ7wJBAOhvEUpotIE2pZerIVoH5qSGpGNjNJZITqZCW2Vo87ZjmKq2gGuT\n"
    "/zglJ5edKcEySbMuwZVUsTMTysnSJtdNIx8CQF+n5A0tDmA8x86L9HvXbzT2Qgrn\n"
    "6m8Nr74w2QZOXMhRjY5PL2SQEAJ4BXkM9RDF6HKafnq40B8TYiXKJ9ACDPcCQQDA\n"
    "Y56mPoCaK4dpQOb8RGnuaNwMwAK5GeSvzWElUXfY0ht9wk4NvZSU/nwFDLuRBHTo\n"
    "cZ0eY9nAc3N5Fg+8Skb1AkBzyKtUCN66i6F7f1R/xfiZCqitVkD5kDNX7j9NiG1f\n"
    "5uVQeVOQfGgHKIYyFC5sq7RFZk+ZWCRlR2+O2FnKLBKI\n"
    "-----END RSA PRIVATE KEY-----\n";

#endif
