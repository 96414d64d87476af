/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of row_portable.h with MULX, ADCX and ADOX, and blocks of eight
 * of them.
 *
 * A block keeps a window of eight limbs of z in r8 to r15. A row adds eight
 * products to it, their low halves along the carry flag and their high halves
 * along the overflow flag; its lowest limb is then ready and is stored, and
 * the highest half takes its register: the window has moved up by one. So
 * eight rows, which name the registers in turn, are a tile of 8 x 8 limbs with
 * one load of each z and one store.
 *
 * Eleven registers are the window, the halves and MULX's factor, three are
 * pointers, and one is left for a frame pointer; what else a loop needs lies in
 * xmm registers. Nothing is pushed: the red zone is the compiler's.
 */
#ifndef ROW_H
#define ROW_H

/* this room */
#include "rsa-backend/bn/limb.h"

#if BN_LIMB_BITS != 64
#error "rows of MULX are of 64-bit limbs"
#endif

#define ROW_NOINLINE	__attribute__((noinline, unused))

/* Names of registers, for the window as a row finds it. */
#define ROW_WINDOW_0(row) row("0", "8", "9", "10", "11", "12", "13", "14", "15")
#define ROW_WINDOW_1(row) row("8", "9", "10", "11", "12", "13", "14", "15", "8")
#define ROW_WINDOW_2(row) \
	row("16", "10", "11", "12", "13", "14", "15", "8", "9")
#define ROW_WINDOW_3(row) \
	row("24", "11", "12", "13", "14", "15", "8", "9", "10")
#define ROW_WINDOW_4(row) \
	row("32", "12", "13", "14", "15", "8", "9", "10", "11")
#define ROW_WINDOW_5(row) \
	row("40", "13", "14", "15", "8", "9", "10", "11", "12")
#define ROW_WINDOW_6(row) \
	row("48", "14", "15", "8", "9", "10", "11", "12", "13")
#define ROW_WINDOW_7(row) \
	row("56", "15", "8", "9", "10", "11", "12", "13", "14")

#define ROW_TILE(row) \
	ROW_WINDOW_0(row) ROW_WINDOW_1(row) ROW_WINDOW_2(row) \
	ROW_WINDOW_3(row) ROW_WINDOW_4(row) ROW_WINDOW_5(row) \
	ROW_WINDOW_6(row) ROW_WINDOW_7(row)

/* The product of x[at] and rdx, added to two limbs of the window. */
#define ROW_MULADD(at, low, high) \
	"mulxq " at "(%[x]), %%rax, %%rcx\n\t" \
	"adcxq %%rax, %%r" low "\n\t" \
	"adoxq %%rcx, %%r" high "\n\t"

/*
 * Eight products with rdx. The lowest limb of the window goes where store
 * says and its register, a, becomes the highest.
 */
#define ROW_PRODUCTS(store, a, b, c, d, e, f, g, h) \
	"xorl %%ecx, %%ecx\n\t" \
	ROW_MULADD("0", a, b) \
	store \
	ROW_MULADD("8", b, c) \
	ROW_MULADD("16", c, d) \
	ROW_MULADD("24", d, e) \
	ROW_MULADD("32", e, f) \
	ROW_MULADD("40", f, g) \
	ROW_MULADD("48", g, h) \
	"mulxq 56(%[x]), %%rax, %%r" a "\n\t" \
	"adcxq %%rax, %%r" h "\n\t" \
	"movl $0, %%eax\n\t" \
	"adoxq %%rax, %%r" a "\n\t" \
	"adcxq %%rax, %%r" a "\n\t"

/* One row: z += x y[at]. */
#define ROW_ADD(at, a, b, c, d, e, f, g, h) \
	"movq " at "(%[y]), %%rdx\n\t" \
	ROW_PRODUCTS("movq %%r" a ", " at "(%[z])\n\t", \
	    a, b, c, d, e, f, g, h)

/* One row: z += x q, q = z[at] k0, which makes z[at] zero: q goes there. */
#define ROW_REDUCE(at, a, b, c, d, e, f, g, h) \
	"movq %%r" a ", %%rdx\n\t" \
	"imulq %[y], %%rdx\n\t" \
	"movq %%rdx, " at "(%[z])\n\t" \
	ROW_PRODUCTS("", a, b, c, d, e, f, g, h)

#define ROW_WINDOW_LOAD \
	"movq 0(%[z]), %%r8\n\t" \
	"movq 8(%[z]), %%r9\n\t" \
	"movq 16(%[z]), %%r10\n\t" \
	"movq 24(%[z]), %%r11\n\t" \
	"movq 32(%[z]), %%r12\n\t" \
	"movq 40(%[z]), %%r13\n\t" \
	"movq 48(%[z]), %%r14\n\t" \
	"movq 56(%[z]), %%r15\n\t"

#define ROW_WINDOW_ZERO \
	"xorl %%r8d, %%r8d\n\t" \
	"xorl %%r9d, %%r9d\n\t" \
	"xorl %%r10d, %%r10d\n\t" \
	"xorl %%r11d, %%r11d\n\t" \
	"xorl %%r12d, %%r12d\n\t" \
	"xorl %%r13d, %%r13d\n\t" \
	"xorl %%r14d, %%r14d\n\t" \
	"xorl %%r15d, %%r15d\n\t"

#define ROW_WINDOW_STORE \
	"movq %%r8, 0(%[z])\n\t" \
	"movq %%r9, 8(%[z])\n\t" \
	"movq %%r10, 16(%[z])\n\t" \
	"movq %%r11, 24(%[z])\n\t" \
	"movq %%r12, 32(%[z])\n\t" \
	"movq %%r13, 40(%[z])\n\t" \
	"movq %%r14, 48(%[z])\n\t" \
	"movq %%r15, 56(%[z])\n\t"

/*
 * The next tile of a block of rows: the window is what the last one carries,
 * z there and the carry of the last such sum are added; that carry is kept in
 * xmm0, as all ones or zero.
 */
#define ROW_WINDOW_NEXT \
	"leaq 64(%[z]), %[z]\n\t" \
	"movq %%xmm0, %%rdx\n\t" \
	"negq %%rdx\n\t" \
	"adcq 0(%[z]), %%r8\n\t" \
	"adcq 8(%[z]), %%r9\n\t" \
	"adcq 16(%[z]), %%r10\n\t" \
	"adcq 24(%[z]), %%r11\n\t" \
	"adcq 32(%[z]), %%r12\n\t" \
	"adcq 40(%[z]), %%r13\n\t" \
	"adcq 48(%[z]), %%r14\n\t" \
	"adcq 56(%[z]), %%r15\n\t" \
	"sbbq %%rdx, %%rdx\n\t" \
	"movq %%rdx, %%xmm0\n\t"

/* Count a tile, in xmm1; ZF tells whether it was the last. */
#define ROW_TILE_DONE \
	"leaq 64(%[x]), %[x]\n\t" \
	"movq %%xmm1, %%rax\n\t" \
	"decq %%rax\n\t" \
	"movq %%rax, %%xmm1\n\t"

#define ROW_CLOBBERS \
	"rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", \
	"xmm1", "cc", "memory"

/*
 * z = x y.
 *   z        8 tiles + 8 limbs
 *   x        8 tiles limbs, tiles at least 1
 *   y        8 limbs
 *   loops    1: tiles
 */
ROW_NOINLINE static void
row_tiles_product(limb *z, const limb *x, size_t tiles, const limb *y)
{
	__asm__ volatile(
	    "movq %%rax, %%xmm1\n\t"
	    ROW_WINDOW_ZERO
	    "1:\n\t"
	    ROW_TILE(ROW_ADD)
	    "leaq 64(%[z]), %[z]\n\t"
	    ROW_TILE_DONE
	    "jnz 1b\n\t"
	    ROW_WINDOW_STORE
	    : [z] "+r"(z), [x] "+r"(x), "+a"(tiles)
	    : [y] "r"(y)
	    : "rdx", ROW_CLOBBERS);
}

/*
 * z + carry = z + x y.
 *   z        8 tiles + 8 limbs
 *   x        8 tiles limbs, tiles at least 1
 *   y        8 limbs
 *   returns  carry, 0 or 1
 *   loops    1: tiles
 */
ROW_NOINLINE static limb
row_tiles_add_product(limb *z, const limb *x, size_t tiles, const limb *y)
{
	limb carry;

	__asm__ volatile(
	    "movq %%rax, %%xmm1\n\t"
	    "pxor %%xmm0, %%xmm0\n\t"
	    ROW_WINDOW_LOAD
	    "1:\n\t"
	    ROW_TILE(ROW_ADD)
	    ROW_WINDOW_NEXT
	    ROW_TILE_DONE
	    "jnz 1b\n\t"
	    ROW_WINDOW_STORE
	    : [z] "+r"(z), [x] "+r"(x), "+a"(tiles), "=&d"(carry)
	    : [y] "r"(y)
	    : ROW_CLOBBERS);
	return carry & 1;
}

/*
 * z + carry' = z + m q + carry, for the q of 8 limbs that makes z[0..7] zero;
 * q is put there.
 *   z        8 tiles + 8 limbs
 *   m        8 tiles limbs, tiles at least 1
 *   carry    0 or 1, to add to z[8 tiles]; the sum then fits but for carry'
 *   returns  carry', 0 or 1
 *   loops    1: tiles after the first; and one jump past it
 */
ROW_NOINLINE static limb
row_tiles_reduce(limb *z, const limb *m, size_t tiles, limb k0, limb carry)
{
	__asm__ volatile(
	    "movq %%rax, %%xmm1\n\t"
	    "pxor %%xmm0, %%xmm0\n\t"
	    "movq %%rdx, %%xmm2\n\t"
	    ROW_WINDOW_LOAD
	    ROW_TILE(ROW_REDUCE)
	    "movq %[z], %[y]\n\t"
	    ROW_WINDOW_NEXT
	    ROW_TILE_DONE
	    "jz 2f\n\t"
	    "1:\n\t"
	    ROW_TILE(ROW_ADD)
	    ROW_WINDOW_NEXT
	    ROW_TILE_DONE
	    "jnz 1b\n\t"
	    "2:\n\t"
	    "movq %%xmm2, %%rax\n\t"
	    "negq %%rax\n\t"
	    "adcq $0, %%r8\n\t"
	    "adcq $0, %%r9\n\t"
	    "adcq $0, %%r10\n\t"
	    "adcq $0, %%r11\n\t"
	    "adcq $0, %%r12\n\t"
	    "adcq $0, %%r13\n\t"
	    "adcq $0, %%r14\n\t"
	    "adcq $0, %%r15\n\t"
	    "sbbq $0, %%rdx\n\t"
	    ROW_WINDOW_STORE
	    : [z] "+r"(z), [x] "+r"(m), [y] "+r"(k0), "+a"(tiles),
	    "+d"(carry)
	    :
	    : "xmm2", ROW_CLOBBERS);
	return 0 - carry;
}

/* Row of one limb: z[at] = low + previous high + z[at]. */
#define ROW_STEP(at, previous, high) \
	"mulxq " at "(%[x]), %%rax, %" high "\n\t" \
	"adcxq %" previous ", %%rax\n\t" \
	"adoxq " at "(%[z]), %%rax\n\t" \
	"movq %%rax, " at "(%[z])\n\t"

/* As in row_portable.h, and so are the next ones. */
static inline limb
row_add_product(limb *z, const limb *x, unsigned n, limb y)
{
	size_t eights = n / 8;
	limb carry = 0, high;

	if (eights > 0)
		__asm__ volatile(
		    "1:\n\t"
		    "xorl %%eax, %%eax\n\t"
		    ROW_STEP("0", "[carry]", "[high]")
		    ROW_STEP("8", "[high]", "[carry]")
		    ROW_STEP("16", "[carry]", "[high]")
		    ROW_STEP("24", "[high]", "[carry]")
		    ROW_STEP("32", "[carry]", "[high]")
		    ROW_STEP("40", "[high]", "[carry]")
		    ROW_STEP("48", "[carry]", "[high]")
		    ROW_STEP("56", "[high]", "[carry]")
		    "movl $0, %%eax\n\t"
		    "adcxq %%rax, %[carry]\n\t"
		    "adoxq %%rax, %[carry]\n\t"
		    "leaq 64(%[x]), %[x]\n\t"
		    "leaq 64(%[z]), %[z]\n\t"
		    "decq %[eights]\n\t"
		    "jnz 1b"
		    : [z] "+r"(z), [x] "+r"(x), [eights] "+r"(eights),
		    [carry] "+r"(carry), [high] "=&r"(high)
		    : "d"(y)
		    : "rax", "cc", "memory");
	for (n %= 8; n > 0; n--, z++, x++) {
		wide t = (wide)*x * y + *z + carry;

		*z = (limb)t;
		carry = (limb)(t >> 64);
	}
	return carry;
}

/* One limb of a loop over four: z = x op y. */
#define ROW_LIMB(at, op) \
	"movq " at "(%[x],%[i],8), %%rax\n\t" \
	op " " at "(%[y],%[i],8), %%rax\n\t" \
	"movq %%rax, " at "(%[z],%[i],8)\n\t"

/* Four limbs a turn; no instruction of the loop touches the carry flag. */
#define ROW_FOURS(op) \
	"1:\n\t" \
	ROW_LIMB("0", op) \
	ROW_LIMB("8", op) \
	ROW_LIMB("16", op) \
	ROW_LIMB("24", op) \
	"leaq 4(%[i]), %[i]\n\t" \
	"decq %[fours]\n\t" \
	"jnz 1b\n\t"

/* z = x op y with the carry flag, whole fours; carry is 0 or all ones. */
#define ROW_CARRY_FOURS(op) \
	__asm__ volatile( \
	    "xorl %%eax, %%eax\n\t" \
	    ROW_FOURS(op) \
	    "sbbq %[carry], %[carry]" \
	    : [i] "+r"(i), [fours] "+r"(fours), [carry] "+r"(carry) \
	    : [z] "r"(z), [x] "r"(x), [y] "r"(y) \
	    : "rax", "cc", "memory")

static inline limb
row_subtract(limb *z, const limb *x, const limb *y, unsigned n)
{
	size_t fours = n / 4, i = 0;
	limb carry = 0;

	if (fours > 0)
		ROW_CARRY_FOURS("sbbq");
	carry &= 1;
	for (; i < n; i++) {
		wide t = (wide)x[i] - y[i] - carry;

		z[i] = (limb)t;
		carry = (limb)(t >> 64) & 1;
	}
	return carry;
}

static inline limb
row_add(limb *z, const limb *x, const limb *y, unsigned n)
{
	size_t fours = n / 4, i = 0;
	limb carry = 0;

	if (fours > 0)
		ROW_CARRY_FOURS("adcq");
	carry &= 1;
	for (; i < n; i++) {
		wide t = (wide)x[i] + y[i] + carry;

		z[i] = (limb)t;
		carry = (limb)(t >> 64);
	}
	return carry;
}

/* As its namesake but for the order of the names: ROW_LIMB's op takes y. */
static inline void
row_select(limb *z, limb mask, const limb *y, const limb *x, unsigned n)
{
	size_t fours = n / 4, i = 0;
	limb carry = mask;

	if (fours > 0)
		__asm__ volatile(
		    "negq %[carry]\n\t"
		    ROW_FOURS("cmovcq")
		    : [i] "+r"(i), [fours] "+r"(fours), [carry] "+r"(carry)
		    : [z] "r"(z), [x] "r"(x), [y] "r"(y)
		    : "rax", "cc", "memory");
	limb_select(z + i, mask, y + i, x + i, n - (unsigned)i);
}

/* A product of two limbs of x, added to two of the window. */
#define ROW_TRIANGLE(at, low, high) \
	"mulxq " at "(%[x]), %%rax, %%rcx\n\t" \
	"adcxq %%rax, %%r" low "\n\t" \
	"adoxq %%rcx, %%r" high "\n\t"

/* The last one of a row: its high half and both carries begin a limb. */
#define ROW_TRIANGLE_LAST(low, high) \
	"mulxq 56(%[x]), %%rax, %%r" high "\n\t" \
	"adcxq %%rax, %%r" low "\n\t" \
	"movl $0, %%eax\n\t" \
	"adoxq %%rax, %%r" high "\n\t" \
	"adcxq %%rax, %%r" high "\n\t"

/* A row's factor, and flags cleared. */
#define ROW_TRIANGLE_ROW(at) \
	"movq " at "(%[x]), %%rdx\n\t" \
	"xorl %%ecx, %%ecx\n\t"

/* Two limbs are ready. */
#define ROW_TRIANGLE_STORE(at0, a, at1, b) \
	"movq %%r" a ", " at0 "(%[s])\n\t" \
	"movq %%r" b ", " at1 "(%[s])\n\t"

/*
 * s = the products of two different limbs of x, each once.
 *   s        16 limbs
 *   x        8 limbs
 *   loops    none
 */
ROW_NOINLINE static void
row_triangle(limb *s, const limb *x)
{
	__asm__ volatile(
	    ROW_TRIANGLE_ROW("0")
	    "mulxq 8(%[x]), %%r8, %%r9\n\t"
	    "mulxq 16(%[x]), %%rax, %%r10\n\t"
	    "adcxq %%rax, %%r9\n\t"
	    "mulxq 24(%[x]), %%rax, %%r11\n\t"
	    "adcxq %%rax, %%r10\n\t"
	    "mulxq 32(%[x]), %%rax, %%r12\n\t"
	    "adcxq %%rax, %%r11\n\t"
	    "mulxq 40(%[x]), %%rax, %%r13\n\t"
	    "adcxq %%rax, %%r12\n\t"
	    "mulxq 48(%[x]), %%rax, %%r14\n\t"
	    "adcxq %%rax, %%r13\n\t"
	    ROW_TRIANGLE_LAST("14", "15")
	    ROW_TRIANGLE_STORE("8", "8", "16", "9")

	    ROW_TRIANGLE_ROW("8")
	    ROW_TRIANGLE("16", "10", "11")
	    ROW_TRIANGLE("24", "11", "12")
	    ROW_TRIANGLE("32", "12", "13")
	    ROW_TRIANGLE("40", "13", "14")
	    ROW_TRIANGLE("48", "14", "15")
	    ROW_TRIANGLE_LAST("15", "8")
	    ROW_TRIANGLE_STORE("24", "10", "32", "11")

	    ROW_TRIANGLE_ROW("16")
	    ROW_TRIANGLE("24", "12", "13")
	    ROW_TRIANGLE("32", "13", "14")
	    ROW_TRIANGLE("40", "14", "15")
	    ROW_TRIANGLE("48", "15", "8")
	    ROW_TRIANGLE_LAST("8", "9")
	    ROW_TRIANGLE_STORE("40", "12", "48", "13")

	    ROW_TRIANGLE_ROW("24")
	    ROW_TRIANGLE("32", "14", "15")
	    ROW_TRIANGLE("40", "15", "8")
	    ROW_TRIANGLE("48", "8", "9")
	    ROW_TRIANGLE_LAST("9", "10")
	    ROW_TRIANGLE_STORE("56", "14", "64", "15")

	    ROW_TRIANGLE_ROW("32")
	    ROW_TRIANGLE("40", "8", "9")
	    ROW_TRIANGLE("48", "9", "10")
	    ROW_TRIANGLE_LAST("10", "11")
	    ROW_TRIANGLE_STORE("72", "8", "80", "9")

	    ROW_TRIANGLE_ROW("40")
	    ROW_TRIANGLE("48", "10", "11")
	    ROW_TRIANGLE_LAST("11", "12")
	    ROW_TRIANGLE_STORE("88", "10", "96", "11")

	    ROW_TRIANGLE_ROW("48")
	    ROW_TRIANGLE_LAST("12", "13")
	    ROW_TRIANGLE_STORE("104", "12", "112", "13")
	    ROW_TRIANGLE_STORE("0", "ax", "120", "ax")
	    :
	    : [s] "r"(s), [x] "r"(x)
	    : "rax", "rdx", ROW_CLOBBERS);
}

#define ROW_SUM(at) \
	"movq " at "(%[s]), %%rax\n\t" \
	"adcq %%rax, " at "(%[z])\n\t"

/* z[at], z[next] doubled, and what is in rax, rcx added. */
#define ROW_DOUBLE_ADD(at, next) \
	"movq " at "(%[z]), %%r8\n\t" \
	"adcxq %%r8, %%r8\n\t" \
	"adoxq %%rax, %%r8\n\t" \
	"movq %%r8, " at "(%[z])\n\t" \
	"movq " next "(%[z]), %%r8\n\t" \
	"adcxq %%r8, %%r8\n\t" \
	"adoxq %%rcx, %%r8\n\t" \
	"movq %%r8, " next "(%[z])\n\t"

#define ROW_SQUARE(at) \
	"movq " at "(%[x]), %%rdx\n\t" \
	"mulxq %%rdx, %%rax, %%rcx\n\t"

/*
 * z + carry = 2 (z + s) + the squares of the limbs of x + carry.
 *   z, s     16 limbs
 *   x        8 limbs
 *   carry    at most 2, and so is what is returned
 *   loops    none
 */
ROW_NOINLINE static limb
row_double_add_squares(limb *z, const limb *s, const limb *x, limb carry)
{
	__asm__ volatile(
	    "xorl %%eax, %%eax\n\t"
	    ROW_SUM("0") ROW_SUM("8") ROW_SUM("16") ROW_SUM("24")
	    ROW_SUM("32") ROW_SUM("40") ROW_SUM("48") ROW_SUM("56")
	    ROW_SUM("64") ROW_SUM("72") ROW_SUM("80") ROW_SUM("88")
	    ROW_SUM("96") ROW_SUM("104") ROW_SUM("112") ROW_SUM("120")
	    "sbbq %%r9, %%r9\n\t"

	    ROW_SQUARE("0")
	    "addq %[carry], %%rax\n\t"
	    "adcq $0, %%rcx\n\t"
	    "xorl %%r8d, %%r8d\n\t"
	    ROW_DOUBLE_ADD("0", "8")
	    ROW_SQUARE("8") ROW_DOUBLE_ADD("16", "24")
	    ROW_SQUARE("16") ROW_DOUBLE_ADD("32", "40")
	    ROW_SQUARE("24") ROW_DOUBLE_ADD("48", "56")
	    ROW_SQUARE("32") ROW_DOUBLE_ADD("64", "72")
	    ROW_SQUARE("40") ROW_DOUBLE_ADD("80", "88")
	    ROW_SQUARE("48") ROW_DOUBLE_ADD("96", "104")
	    ROW_SQUARE("56") ROW_DOUBLE_ADD("112", "120")

	    "movl $0, %k[carry]\n\t"
	    "movl $0, %%eax\n\t"
	    "adcxq %%rax, %[carry]\n\t"
	    "adoxq %%rax, %[carry]\n\t"
	    "subq %%r9, %[carry]\n\t"
	    "subq %%r9, %[carry]"
	    : [carry] "+r"(carry)
	    : [z] "r"(z), [s] "r"(s), [x] "r"(x)
	    : "rax", "rcx", "rdx", "r8", "r9", "cc", "memory");
	return carry;
}

/*
 * Numbers that are no whole tiles: blocks of eight rows over the tiles, and
 * rows of their own for the rest. Not inlined, to leave registers to whole
 * ones.
 */

/*
 * The rest of a block: z + carry' = z + x y + 2^512 carry.
 *   z        n + 8 limbs
 *   x        n limbs, n below 8
 *   y        8 limbs
 *   carry    0 or 1, and so is what is returned
 */
static inline limb
row_block_rest(limb *z, const limb *x, unsigned n, const limb *y, limb carry)
{
	for (unsigned i = 0; i < n; i++)
		carry = limb_add(z + i + 8, row_add_product(z + i, y, 8, x[i]),
		    carry);
	return carry;
}

/*
 * A block: z = z + x y, the upper 8 limbs of z not there yet.
 *   z        n + 8 limbs
 *   x        n limbs
 *   y        8 limbs
 */
ROW_NOINLINE static void
row_block_add_product(limb *z, const limb *x, unsigned n, const limb *y)
{
	unsigned whole = n / 8 * 8;
	limb carry = 0;

	memset(z + n, 0, 8 * LIMB_SIZE);
	if (whole > 0)
		carry = row_tiles_add_product(z, x, whole / 8, y);
	(void)row_block_rest(z + whole, x + whole, n - whole, y, carry);
}

/* As row_tiles_reduce, for n limbs of m, at least 8. */
static inline limb
row_block_reduce(limb *z, const limb *m, unsigned n, limb k0, limb carry)
{
	unsigned whole = n / 8 * 8;
	limb above;

	/* The carry belongs into the rest, where no tile adds it. */
	for (unsigned i = 0; i < 8; i++)
		carry = limb_add(z + n + i, 0, carry);
	above = carry;
	carry = row_tiles_reduce(z, m, whole / 8, k0, 0);
	return above + row_block_rest(z + whole, m + whole, n - whole, z,
	    carry);
}

ROW_NOINLINE static void
row_product_any(limb *z, const limb *x, const limb *y, unsigned n)
{
	unsigned i = 0;

	memset(z, 0, LIMB_SIZE * n);
	for (; i + 8 <= n; i += 8)
		row_block_add_product(z + i, x, n, y + i);
	for (; i < n; i++)
		z[n + i] = row_add_product(z + i, x, n, y[i]);
}

/* The products of different limbs, each once; a block leaves out its own. */
ROW_NOINLINE static void
row_square_any(limb *z, const limb *x, unsigned n)
{
	unsigned i = 0;

	memset(z, 0, LIMB_SIZE * n);
	for (; i + 8 <= n; i += 8)
		row_block_add_product(z + 2 * i + 8, x + i + 8, n - i - 8,
		    x + i);
	for (; i < n; i++)
		z[n + i] = row_add_product(z + 2 * i + 1, x + i + 1,
		    n - i - 1, x[i]);
}

ROW_NOINLINE static limb
row_reduce_any(limb *z, const limb *m, unsigned n, limb k0)
{
	limb carry = 0;
	unsigned i = 0;

	for (; i + 8 <= n; i += 8)
		carry = row_block_reduce(z + i, m, n, k0, carry);
	for (; i < n; i++)
		carry = limb_add(z + n + i,
		    row_add_product(z + i, m, n, z[i] * k0), carry);
	return carry;
}

static inline void
row_product(limb *z, const limb *x, const limb *y, unsigned n)
{
	if (n % 8 != 0) {
		row_product_any(z, x, y, n);
		return;
	}
	row_tiles_product(z, x, n / 8, y);
	for (unsigned i = 8; i < n; i += 8) {
		memset(z + i + n, 0, 8 * LIMB_SIZE);
		(void)row_tiles_add_product(z + i, x, n / 8, y + i);
	}
}

static inline void
row_square(limb *z, const limb *x, unsigned n)
{
	limb s[16], carry = 0;
	unsigned i = 8;

	if (n % 8 != 0)
		row_square_any(z, x, n);
	else {
		memset(z, 0, 8 * LIMB_SIZE);
		if (n > 8)
			row_tiles_product(z + 8, x + 8, n / 8 - 1, x);
		for (; i + 8 < n; i += 8) {
			memset(z + n + i, 0, 8 * LIMB_SIZE);
			(void)row_tiles_add_product(z + 2 * i + 8, x + i + 8,
			    (n - i) / 8 - 1, x + i);
		}
		memset(z + 2 * n - 8, 0, 8 * LIMB_SIZE);
	}
	for (i = 0; i + 8 <= n; i += 8) {
		row_triangle(s, x + i);
		carry = row_double_add_squares(z + 2 * i, s, x + i, carry);
	}
	for (; i < n; i++)
		carry = limb_double_add_square(z + 2 * i, x[i], carry);
}

static inline limb
row_reduce(limb *z, const limb *m, unsigned n, limb k0)
{
	limb carry = 0;

	if (n % 8 != 0)
		return row_reduce_any(z, m, n, k0);
	for (unsigned i = 0; i < n; i += 8)
		carry = row_tiles_reduce(z + i, m, n / 8, k0, carry);
	return carry;
}

#endif
