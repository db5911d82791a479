/* The inline functions of lanes.h as a library of their own, so that they can be tested one by one. */

#include "lanes.h"

EXPORT void probe_exp(const double *x, double *out, int64_t n) { exp_many(x, out, n); }
EXPORT void probe_log(const double *x, double *out, int64_t n) { log_many(x, out, n); }
EXPORT double probe_dot(const double *a, const double *b, int64_t n) { return dot(a, b, n); }
EXPORT double probe_total(const double *a, int64_t n) { return total(a, n); }
EXPORT double probe_largest(const double *a, int64_t n) { return largest(a, n); }
EXPORT void probe_dot3(const double *a, const double *b, const double *c, const double *y, int64_t n, double *out) {
    dot3(a, b, c, y, n, out);
}
