/* Whether this machine has the vector units that the second library is compiled for: x86-64-v3, which means AVX2. */

#include "lanes.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Which registers the operating system saves when it switches between programs. */
static uint32_t saved_registers(void) {
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

EXPORT bool has_avx2(void) {
    const uint32_t fma_movbe_osxsave_avx_f16c = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29;
    const uint32_t bmi_avx2_bmi2 = 1u << 3 | 1u << 5 | 1u << 8, lzcnt = 1u << 5, sse_and_avx = 6;
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & fma_movbe_osxsave_avx_f16c) != fma_movbe_osxsave_avx_f16c) return false;
    if ((saved_registers() & sse_and_avx) != sse_and_avx) return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & bmi_avx2_bmi2) != bmi_avx2_bmi2) return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & lzcnt);
}
#else
EXPORT bool has_avx2(void) { return false; }
#endif
