/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a function leaves behind that it has no name for: spilled values in
 * the stack below its caller, and registers that a call need not preserve.
 */
#ifndef WIPE_H
#define WIPE_H

/* system */
#include <string.h>

#define WIPE_NOINLINE	__attribute__((noinline, unused))

/*
 * More than the deepest frames below a function of a path, -O0 included, and
 * than the registers that the dynamic linker saves as it binds memcpy lazily.
 */
#define WIPE_STACK	4096

/*
 * Overwrite the stack below the caller's frame.
 */
WIPE_NOINLINE static void
wipe_stack(void)
{
	unsigned char below[WIPE_STACK];

	memset(below, 0, sizeof(below));
	__asm__ volatile("" : : "r"(below) : "memory");
}

/*
 * Zero the registers that a call need not preserve; those that it must, the
 * compiler restores. Nothing on machines that are not named here: there the
 * next few calls of anything overwrite them.
 */
static inline void
wipe_registers(void)
{
#if defined(__x86_64__)
	__asm__ volatile(
	    "xorl %%eax, %%eax\n\t"
	    "xorl %%ecx, %%ecx\n\t"
	    "xorl %%edx, %%edx\n\t"
	    "xorl %%esi, %%esi\n\t"
	    "xorl %%edi, %%edi\n\t"
	    "xorl %%r8d, %%r8d\n\t"
	    "xorl %%r9d, %%r9d\n\t"
	    "xorl %%r10d, %%r10d\n\t"
	    "xorl %%r11d, %%r11d\n\t"
	    "pxor %%xmm0, %%xmm0\n\t"
	    "pxor %%xmm1, %%xmm1\n\t"
	    "pxor %%xmm2, %%xmm2\n\t"
	    "pxor %%xmm3, %%xmm3\n\t"
	    "pxor %%xmm4, %%xmm4\n\t"
	    "pxor %%xmm5, %%xmm5\n\t"
	    "pxor %%xmm6, %%xmm6\n\t"
	    "pxor %%xmm7, %%xmm7\n\t"
	    "pxor %%xmm8, %%xmm8\n\t"
	    "pxor %%xmm9, %%xmm9\n\t"
	    "pxor %%xmm10, %%xmm10\n\t"
	    "pxor %%xmm11, %%xmm11\n\t"
	    "pxor %%xmm12, %%xmm12\n\t"
	    "pxor %%xmm13, %%xmm13\n\t"
	    "pxor %%xmm14, %%xmm14\n\t"
	    "pxor %%xmm15, %%xmm15"
	    : : : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
	    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
	    "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
	    "xmm15", "cc");
#elif defined(__aarch64__)
	__asm__ volatile(
	    "mov x0, xzr\n\tmov x1, xzr\n\tmov x2, xzr\n\tmov x3, xzr\n\t"
	    "mov x4, xzr\n\tmov x5, xzr\n\tmov x6, xzr\n\tmov x7, xzr\n\t"
	    "mov x8, xzr\n\tmov x9, xzr\n\tmov x10, xzr\n\tmov x11, xzr\n\t"
	    "mov x12, xzr\n\tmov x13, xzr\n\tmov x14, xzr\n\tmov x15, xzr\n\t"
	    "mov x16, xzr\n\tmov x17, xzr\n\t"
	    "movi v0.2d, #0\n\tmovi v1.2d, #0\n\tmovi v2.2d, #0\n\t"
	    "movi v3.2d, #0\n\tmovi v4.2d, #0\n\tmovi v5.2d, #0\n\t"
	    "movi v6.2d, #0\n\tmovi v7.2d, #0\n\tmovi v16.2d, #0\n\t"
	    "movi v17.2d, #0\n\tmovi v18.2d, #0\n\tmovi v19.2d, #0\n\t"
	    "movi v20.2d, #0\n\tmovi v21.2d, #0\n\tmovi v22.2d, #0\n\t"
	    "movi v23.2d, #0\n\tmovi v24.2d, #0\n\tmovi v25.2d, #0\n\t"
	    "movi v26.2d, #0\n\tmovi v27.2d, #0\n\tmovi v28.2d, #0\n\t"
	    "movi v29.2d, #0\n\tmovi v30.2d, #0\n\tmovi v31.2d, #0"
	    : : : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
	    "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "v0",
	    "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18",
	    "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",
	    "v28", "v29", "v30", "v31");
#endif
}

#endif
