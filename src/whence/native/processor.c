/* Whether this machine has the vector units that the second library is compiled for: x86-64-v3, which means AVX2. */

#include "lanes.h"

EXPORT bool has_avx2(void) {
#if defined(__x86_64__) || defined(_M_X64)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma");
#else
    return false;
#endif
}
