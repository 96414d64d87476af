/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eight numbers side by side, 64 bits each, in one zmm register: AVX-512 F and
 * IFMA. v52_array.h is the same in plain C; what a function here lacks in
 * words stands there.
 *
 * Without -mavx512f -mavx512ifma this header is empty.
 */
#ifndef V52_H
#define V52_H
#if defined(__AVX512F__) && defined(__AVX512IFMA__)

/* system */
#include <immintrin.h>
#include <stdint.h>

#define V52_INLINE	inline __attribute__((always_inline))
#define V52_NOINLINE	__attribute__((noinline, unused))

#define V52_LANES	8
#define V52_WIDTH	52
#define V52_DIGIT	((UINT64_C(1) << V52_WIDTH) - 1)

typedef __m512i v52;
typedef __mmask8 v52_mask;

static inline v52
v52_zero(void)
{
	return _mm512_setzero_si512();
}

static inline v52
v52_set(uint64_t x)
{
	return _mm512_set1_epi64((long long)x);
}

static inline v52
v52_load(const uint64_t *p)
{
	return _mm512_load_si512(p);
}

static inline void
v52_store(uint64_t *p, v52 a)
{
	_mm512_store_si512(p, a);
}

static inline void
v52_madlo(v52 *c, const v52 *a, const v52 *b)
{
	*c = _mm512_madd52lo_epu64(*c, *a, *b);
}

static inline void
v52_madhi(v52 *c, const v52 *a, const v52 *b)
{
	*c = _mm512_madd52hi_epu64(*c, *a, *b);
}

static inline v52
v52_add(v52 a, v52 b)
{
	return _mm512_add_epi64(a, b);
}

static inline v52
v52_sub(v52 a, v52 b)
{
	return _mm512_sub_epi64(a, b);
}

static inline v52
v52_and(v52 a, v52 b)
{
	return _mm512_and_si512(a, b);
}

static inline v52
v52_or(v52 a, v52 b)
{
	return _mm512_or_si512(a, b);
}

static inline v52
v52_shr(v52 a, unsigned count)
{
	return _mm512_srl_epi64(a, _mm_cvtsi32_si128((int)count));
}

static inline v52
v52_shl(v52 a, unsigned count)
{
	return _mm512_sll_epi64(a, _mm_cvtsi32_si128((int)count));
}

static inline v52
v52_sar(v52 a, unsigned count)
{
	return _mm512_sra_epi64(a, _mm_cvtsi32_si128((int)count));
}

static inline v52_mask
v52_equal(v52 a, v52 b)
{
	return _mm512_cmpeq_epi64_mask(a, b);
}

static inline v52
v52_select(v52_mask mask, v52 a, v52 b)
{
	return _mm512_mask_mov_epi64(b, mask, a);
}

static inline void
v52_barrier(void)
{
	__asm__ volatile("" ::: "memory");
}

/*
 * vzeroupper and vzeroall leave zmm16-31 as they are, and masks hold what was
 * compared.
 */
static inline void
v52_clear(void)
{
#define CLEAR(i) "vpxorq %%zmm" #i ", %%zmm" #i ", %%zmm" #i "\n\t"
	__asm__ volatile("vzeroall\n\t"
	    CLEAR(16) CLEAR(17) CLEAR(18) CLEAR(19)
	    CLEAR(20) CLEAR(21) CLEAR(22) CLEAR(23)
	    CLEAR(24) CLEAR(25) CLEAR(26) CLEAR(27)
	    CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31)
	    "kxorw %%k1, %%k1, %%k1\n\tkxorw %%k2, %%k2, %%k2\n\t"
	    "kxorw %%k3, %%k3, %%k3\n\tkxorw %%k4, %%k4, %%k4\n\t"
	    "kxorw %%k5, %%k5, %%k5\n\tkxorw %%k6, %%k6, %%k6\n\t"
	    "kxorw %%k7, %%k7, %%k7\n\tkxorw %%k0, %%k0, %%k0\n\t"
	    "xorl %%eax, %%eax\n\txorl %%ecx, %%ecx\n\t"
	    "xorl %%edx, %%edx\n\txorl %%esi, %%esi\n\t"
	    "xorl %%edi, %%edi\n\txorl %%r8d, %%r8d\n\t"
	    "xorl %%r9d, %%r9d\n\txorl %%r10d, %%r10d\n\t"
	    "xorl %%r11d, %%r11d"
	    ::: "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi",
	    "r8", "r9", "r10", "r11",
	    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
	    "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
	    "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21",
	    "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28",
	    "xmm29", "xmm30", "xmm31",
	    "k1", "k2", "k3", "k4", "k5", "k6", "k7");
#undef CLEAR
}

#endif
#endif
