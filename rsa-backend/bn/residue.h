/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constants that a modulus needs before any path can work with it.
 */
#ifndef RESIDUE_H
#define RESIDUE_H

/* system */
#include <stddef.h>
#include <stdint.h>

/*
 * z = 2^exponent mod m, for the primes of a private key; a public modulus has
 * twopower.h, which is faster and whose time tells of m.
 *   z, m     len octets each, big-endian; m odd, at most 8192 bits, above 2
 *   exponent any: R^2 and R^3 of every path
 *   ct       leaks len, exponent and the bit length of m; not m
 * Takes about 6 Montgomery squarings and 100 doublings.
 */
void residue_of_two_power(uint8_t *z, const uint8_t *m, size_t len,
    unsigned exponent);

/*
 * -m^-1 mod 2^64, of an odd m: the low width bits are its path's k0.
 *   source   Dumas 2012 (Newton, doubling the correct bits)
 */
uint64_t residue_k0(uint64_t m);

#endif
