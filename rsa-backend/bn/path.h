/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of RSA on one kind of machine: a path. All paths have the
 * same operations with the same meaning, so that whoever signs, tests or
 * measures loops over them; they differ in the width of a digit and in how
 * many requests one pass takes.
 *
 * A number is an array of digits, least significant first, each below
 * 2^width and digit_size octets wide; how many digits a number of some bits
 * takes is the path's to say (digits_prime, digits_modulus). R = 2^(width n)
 * for numbers of n digits. All numbers are aligned to 8 octets.
 *
 * Nothing here allocates, fails, or calls libcrypto. scratch is the caller's,
 * aligned to 64 octets; what is in it afterwards is secret and the caller's to
 * wipe. Registers and the stack hold no secret after a call of a function
 * that is given one.
 */
#ifndef PATH_H
#define PATH_H

/* system */
#include <stddef.h>
#include <stdint.h>

#define PATH_LANES	8	/* requests in one pass, at most */
#define PATH_HALVES	(2 * PATH_LANES)

/* A modulus: an odd number m of n digits. */
struct path_modulus {
	const void	*m;		/* m[n] */
	const void	*rr;		/* rr[n] = R^2 mod m */
	uint64_t	 k0;		/* -m^-1 mod 2^width */
};

/* A prime of a private key. */
struct path_prime {
	struct path_modulus	 modulus;
	const void		*r3;	/* r3[n] = R^3 mod m */
	const void		*d;	/* d[n]: d mod m - 1 */
};

/* z = x^d mod m. */
struct path_half {
	const struct path_prime	*prime;
	const void		*x;	/* x[2n], below m R */
	void			*z;	/* z[n], below m */
};

/* z = xq + q ((xp - xq) qinv mod p): RFC 8017 s5.1.2 step 2.b. */
struct path_crt {
	const struct path_prime	*p;
	const void		*q;	/* q[n], below R */
	const void		*qinv;	/* qinv[n]: R / q mod p */
	const void		*xp;	/* xp[n], below p */
	const void		*xq;	/* xq[n], below q; may be above p */
	void			*z;	/* z[2n], below p q */
};

/* z = a b / R mod m (Montgomery 1985). */
struct path_product {
	const struct path_modulus	*modulus;
	const void	*a, *b;		/* a[n], b[n], below m */
	void		*z;		/* z[n], below m; may be a or b */
};

/* z = x^e mod m. */
struct path_power {
	const struct path_modulus	*modulus;
	uint64_t	 e;		/* odd, at least 3 */
	const void	*x;		/* x[n], below m */
	void		*z;		/* z[n], below m; may be x */
};

struct path {
	const char	*name;		/* "portable", "adx", "ifma", ... */
	unsigned	 features;	/* bits of cpu.h that it needs */
	unsigned	 width;		/* bits of a digit */
	size_t		 digit_size;	/* octets of a digit in memory */

	/*
	 * Lanes of a pass: 1, or 8. product, crt and power_public give a lane
	 * to a request, power_private gives it two, one for each prime.
	 */
	unsigned	 lanes;

	/*
	 * Digits for a prime or a modulus of that many bits; the larger prime
	 * and its key's modulus give n and 2n.
	 *   returns  0: the path has none so long
	 */
	unsigned (*digits_prime)(unsigned bits);
	unsigned (*digits_modulus)(unsigned bits);

	/*
	 * Octets (big-endian, RFC 8017 s4.2) to digits and back.
	 *   len      any; the number fits in n digits, or in len octets
	 *   ct       leaks n and len only
	 */
	void	(*from_octets)(void *z, unsigned n, const uint8_t *in,
	    size_t len);
	void	(*to_octets)(uint8_t *out, size_t len, const void *x,
	    unsigned n);

	/*
	 * Octets of scratch for numbers of n digits: n of a prime for
	 * power_private and crt, of a modulus for product and power_public.
	 */
	size_t	(*scratch_private)(unsigned n);
	size_t	(*scratch_public)(unsigned n);

	/*
	 * Halves of private operations; 1 to PATH_HALVES of them, of any
	 * keys with n digits a prime.
	 *   bits     no m and no d has more; at most width n - 2 where lanes
	 *            is not 1
	 *   ct       leaks n, bits and count only
	 *   source   RFC 8017 s5.1.2; fixed windows, whole table read
	 */
	void	(*power_private)(unsigned n, unsigned bits,
	    const struct path_half *half, size_t count, void *scratch);

	/*
	 * Put the halves of 1 to PATH_LANES requests together.
	 *   n        digits of a prime
	 *   ct       leaks n and count only
	 */
	void	(*crt)(unsigned n, const struct path_crt *crt, size_t count,
	    void *scratch);

	/*
	 * Montgomery products of 1 to PATH_LANES requests.
	 *   n        digits of a modulus
	 *   ct       leaks n and count only
	 */
	void	(*product)(unsigned n, const struct path_product *product,
	    size_t count, void *scratch);

	/*
	 * Public operations of 1 to PATH_LANES requests, exponents of any
	 * length each.
	 *   n        digits of a modulus
	 *   ct       leaks n, count and all e; x may be secret
	 */
	void	(*power_public)(unsigned n, const struct path_power *power,
	    size_t count, void *scratch);
};

/*
 * The paths: scalar ones serve every size up to 8192 bits, lanes those of
 * RSA-512 to RSA-4096. One that this build has no instructions for has
 * features that no machine has (PATH_ABSENT).
 */
#define PATH_ABSENT	(1U << 31)

extern const struct path scalar_portable;	/* any machine */
extern const struct path scalar_adx;		/* MULX, ADCX, ADOX */
extern const struct path lanes_emulated;	/* any machine; for checks */
extern const struct path lanes_ifma;		/* AVX-512 IFMA */

#endif
