/* Sums of log(rows . beta) and their derivatives, for rows with few entries that are not zero; see baselines/pnl.py.

   Loops in place of matrix products: a library's threads, started anew in every iteration for so little, take twenty
   times as long on a busy machine. */

#include "lanes.h"

#define BLOCK 256

/* The sum of log(rows . beta); minus infinity where one of them is not positive. */
EXPORT double log_sum(const double *rows, int64_t n, int64_t k, const double *beta) {
    double slope[BLOCK], sum = 0.0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t count = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t i = 0; i < count; i++) {
            slope[i] = dot(rows + (first + i) * k, beta, k);
            if (!(slope[i] > 0.0)) return -INFINITY;
        }
        log_many(slope, slope, count);
        sum += total(slope, count);
    }
    return sum;
}

/* Adds the gradient of that sum to `gradient`, and minus its Hessian to `bend`. */
EXPORT void log_sum_derivatives(const double *rows, int64_t n, int64_t k, const double *beta, double *gradient,
                                double *bend) {
    for (int64_t i = 0; i < n; i++) {
        const double *row = rows + i * k;
        double inverse = 1.0 / dot(row, beta, k);
        int64_t first = 0, end = k;
        while (first < k && row[first] == 0.0) first++;
        while (end > first && row[end - 1] == 0.0) end--;
        for (int64_t a = first; a < end; a++) {
            double share = row[a] * inverse;
            gradient[a] += share;
            for (int64_t b = first; b < end; b++) bend[a * k + b] += share * (row[b] * inverse);
        }
    }
}
