/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Feature bits of machines that this one is not.
 */

/* rsa-backend */
#include "rsa-backend/cpu.h"

/* this room */
#include "tests/test.h"

#define OSXSAVE		(UINT32_C(1) << 27)
#define BIT(n)		(UINT32_C(1) << (n))
#define LEAF7_ALL	(BIT(8) | BIT(16) | BIT(17) | BIT(19) | BIT(21) | \
    BIT(31))
#define SCALAR		(CPU_BMI2 | CPU_ADX)
#define EVERYTHING	(SCALAR | CPU_AVX512F | CPU_AVX512DQ | \
    CPU_AVX512IFMA | CPU_AVX512VL)

static void
cpu_decode_machines(void **state)
{
	static const struct {
		const char		*name;
		struct cpu_registers	 registers;
		unsigned		 want;
	} rows[] = {
		{ "nothing", { 0, 0, 0, 0 }, 0 },
		{ "everything", { 0x20, OSXSAVE, LEAF7_ALL, 0xe7 },
		    EVERYTHING },
		{ "bits of a leaf that is not there",
		    { 6, OSXSAVE, LEAF7_ALL, 0xe7 }, 0 },
		{ "Haswell: BMI2 alone", { 0xd, OSXSAVE, BIT(8), 0x7 },
		    CPU_BMI2 },
		{ "Broadwell: ADX too", { 0x14, OSXSAVE, BIT(8) | BIT(19),
		    0x7 }, SCALAR },
		{ "Skylake-X: no IFMA", { 0x16, OSXSAVE,
		    LEAF7_ALL & ~BIT(21), 0xe7 },
		    EVERYTHING & ~(unsigned)CPU_AVX512IFMA },
		{ "system without XSAVE", { 0x20, 0, LEAF7_ALL, 0xe7 },
		    SCALAR },
		{ "system keeps AVX only", { 0x20, OSXSAVE, LEAF7_ALL, 0x7 },
		    SCALAR },
		{ "no opmask state", { 0x20, OSXSAVE, LEAF7_ALL, 0xc7 },
		    SCALAR },
		{ "no zmm0-15 state", { 0x20, OSXSAVE, LEAF7_ALL, 0xa7 },
		    SCALAR },
		{ "no zmm16-31 state", { 0x20, OSXSAVE, LEAF7_ALL, 0x67 },
		    SCALAR },
		{ "no ymm state", { 0x20, OSXSAVE, LEAF7_ALL, 0xe3 }, SCALAR },
		{ "IFMA without F", { 0x20, OSXSAVE, LEAF7_ALL & ~BIT(16),
		    0xe7 }, SCALAR },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		test_int(rows[i].name, cpu_decode(&rows[i].registers),
		    rows[i].want);
}

static void
cpu_features_of_here(void **state)
{
	struct cpu_registers registers;
	unsigned features = cpu_features();

	(void)state;
	cpu_read(&registers);
	test_int("the same twice", features, cpu_decode(&registers));
#if defined(__x86_64__)
	/* libgcc and compiler-rt ask the same machine another way. */
	test_int("bmi2", (features & CPU_BMI2) != 0,
	    __builtin_cpu_supports("bmi2") != 0);
	test_int("avx512f", (features & CPU_AVX512F) != 0,
	    __builtin_cpu_supports("avx512f") != 0);
	test_int("avx512vl", (features & CPU_AVX512VL) != 0,
	    __builtin_cpu_supports("avx512vl") != 0);
	test_int("avx512dq", (features & CPU_AVX512DQ) != 0,
	    __builtin_cpu_supports("avx512dq") != 0);
	test_int("avx512ifma", (features & CPU_AVX512IFMA) != 0,
	    __builtin_cpu_supports("avx512ifma") != 0);
#else
	test_int("none elsewhere", features, 0);
#endif
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_decode_machines),
		cmocka_unit_test(cpu_features_of_here),
	};

	return TEST_RUN(tests);
}
