/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU and OS feature bits, by CPUID and XGETBV: one behaviour with every
 * compiler (clang 14 does not know "adx" in __builtin_cpu_supports), and a
 * decoder that tests feed with machines they are not.
 */

/* system */
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* this room */
#include "cpu.h"

#define LEAF1_ECX_OSXSAVE	(UINT32_C(1) << 27)

/* XMM, YMM, opmask, upper halves of zmm0-15, zmm16-31. */
#define XCR0_AVX512		UINT64_C(0xe6)

static const struct {
	uint32_t	bit;		/* of CPUID.(7,0):EBX */
	unsigned	feature;
} leaf7_table[] = {
	{ UINT32_C(1) << 8, CPU_BMI2 },
	{ UINT32_C(1) << 16, CPU_AVX512F },
	{ UINT32_C(1) << 17, CPU_AVX512DQ },
	{ UINT32_C(1) << 19, CPU_ADX },
	{ UINT32_C(1) << 21, CPU_AVX512IFMA },
	{ UINT32_C(1) << 31, CPU_AVX512VL },
};

#define LEAF7_COUNT	(sizeof leaf7_table / sizeof leaf7_table[0])
#define AVX512_FEATURES	((unsigned)CPU_AVX512F | (unsigned)CPU_AVX512DQ | \
    (unsigned)CPU_AVX512IFMA | (unsigned)CPU_AVX512VL)

#if defined(__x86_64__) || defined(__i386__)
static uint64_t
xcr0_read(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

void
cpu_read(struct cpu_registers *out)
{
	unsigned a, b, c, d;

	memset(out, 0, sizeof *out);
	if (!__get_cpuid(0, &a, &b, &c, &d))
		return;
	out->max_leaf = a;
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return;
	out->leaf1_ecx = c;
	/* XGETBV is undefined until the system has set CR4.OSXSAVE. */
	if ((c & LEAF1_ECX_OSXSAVE) != 0)
		out->xcr0 = xcr0_read();
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
		out->leaf7_ebx = b;
}
#else
void
cpu_read(struct cpu_registers *out)
{
	memset(out, 0, sizeof *out);
}
#endif

unsigned
cpu_decode(const struct cpu_registers *registers)
{
	unsigned features = 0;

	if (registers->max_leaf < 7)
		return 0;
	for (size_t i = 0; i < LEAF7_COUNT; i++)
		if ((registers->leaf7_ebx & leaf7_table[i].bit) != 0)
			features |= leaf7_table[i].feature;
	if ((registers->leaf1_ecx & LEAF1_ECX_OSXSAVE) == 0 ||
	    (registers->xcr0 & XCR0_AVX512) != XCR0_AVX512)
		features &= ~AVX512_FEATURES;
	/* The others are extensions of F and mean nothing without it. */
	if ((features & (unsigned)CPU_AVX512F) == 0)
		features &= ~AVX512_FEATURES;
	return features;
}

unsigned
cpu_features(void)
{
	struct cpu_registers registers;

	cpu_read(&registers);
	return cpu_decode(&registers);
}
