/* Linear algebra of small systems; band storage of symmetric matrices is that of numerics/splines.py, and of an upper
   triangle entry (j, j + m) lies at triangle[j][m]. */

#ifndef CAUSEWISE_LINEAR_H
#define CAUSEWISE_LINEAR_H

#include "lanes.h"

EXPORT bool cholesky(const double *band, int64_t size, int64_t width, double *factor);
EXPORT bool damped_cholesky(double *band, int64_t size, int64_t width, double *factor);
EXPORT void solve(const double *factor, int64_t size, int64_t width, double *x);
EXPORT double rotate_in(double *triangle, double *right, int64_t size, int64_t width, int64_t start, double *row,
                        double target);
EXPORT void back_substitution(const double *triangle, const double *right, int64_t size, int64_t width, double *x);

#endif
