/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the processor can do and the operating system lets it do.
 */
#ifndef CPU_H
#define CPU_H

#include <stdint.h>

enum cpu_feature {
	CPU_BMI2 = 1 << 0,		/* MULX */
	CPU_ADX = 1 << 1,		/* ADCX, ADOX */
	CPU_AVX512F = 1 << 2,
	CPU_AVX512DQ = 1 << 3,
	CPU_AVX512IFMA = 1 << 4,	/* VPMADD52 */
	CPU_AVX512VL = 1 << 5,
};

/* The registers as CPUID and XGETBV give them; all zero elsewhere. */
struct cpu_registers {
	uint32_t	max_leaf;	/* CPUID.0:EAX */
	uint32_t	leaf1_ecx;	/* CPUID.1:ECX */
	uint32_t	leaf7_ebx;	/* CPUID.(7,0):EBX */
	uint64_t	xcr0;		/* 0 without OSXSAVE */
};

/*
 * Read the registers. Slow under a hypervisor, which traps CPUID.
 */
void cpu_read(struct cpu_registers *out);

/*
 * The features that registers tell of, as bits of enum cpu_feature. A bit of
 * AVX-512 is set only where the system keeps the opmask and zmm state.
 *   source   Intel SDM vol. 1, 13.3 and 15.2
 */
unsigned cpu_decode(const struct cpu_registers *registers);

/*
 * The features of this machine: a read and a decode. A backend asks once, as
 * its worker is made, and keeps the answer there.
 */
unsigned cpu_features(void);

#endif
