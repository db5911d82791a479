/* HECI: bins of the cause, and the cheapest way to join them; see baselines/heci.py. */

#include "linear.h"

#define COEFFICIENTS 4 /* of the largest polynomial */
#define LOG2_E 0x1.71547652b82fep0

/* Where the bins of a sorted column begin; at most `bins` and at most n of them, whose number is returned. */
EXPORT int64_t bin_starts(const double *u, int64_t n, int64_t bins, int64_t support, double edge, bool cut_ties,
                          int64_t *starts) {
    double step = (u[n - 1] - u[0]) / (double)bins, end = u[0] + step;
    int64_t count = 1, passed = 1, distinct = 0;
    starts[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        bool fresh = i == 0 || u[i] != u[i - 1];
        if (u[i] > end + edge && passed < bins) {
            if (distinct >= support && (fresh || cut_ties)) {
                starts[count++] = i;
                distinct = 0;
            }
            passed++;
            end += step;
        }
        distinct += fresh || i == starts[count - 1];
    }
    return distinct < support && count > 1 ? count - 1 : count;
}

/* The factors, right-hand sides and squared errors are added to.
   Accumulated normal equations would take fewer steps, but a narrow bin far from zero makes them ill conditioned. */
EXPORT void bin_factors(const double *u, const double *v, int64_t n, const int64_t *starts, int64_t bins,
                        double *triangles, double *rights, double *errors) {
    for (int64_t b = 0; b < bins; b++) {
        double *triangle = triangles + b * COEFFICIENTS * COEFFICIENTS, *right = rights + b * COEFFICIENTS;
        int64_t end = b + 1 < bins ? starts[b + 1] : n;
        for (int64_t i = starts[b]; i < end; i++) {
            double square = u[i] * u[i], row[COEFFICIENTS] = {1.0, u[i], square, square * u[i]};
            double left = rotate_in(triangle, right, COEFFICIENTS, COEFFICIENTS, 0, row, v[i]);
            errors[b] += left * left;
        }
    }
}

/* Minimum over the degree d = 1 ... degrees of size log2((squared error + slack) / size) + (d + 2) penalty. */
static double run_cost(const double *right, double error, double size, int64_t degrees, double slack, double penalty) {
    double cost = INFINITY;
    for (int64_t d = 1; d <= degrees; d++) {
        double missed = error;
        for (int64_t r = d + 1; r < COEFFICIENTS; r++) missed += right[r] * right[r];
        double here = size * (LOG2_E * log_one((missed + slack) / size)) + (double)(d + 2) * penalty;
        cost = here < cost ? here : cost;
    }
    return cost;
}

/* best[l] is the smallest cost of the first l bins. Runs that begin at the bins first <= b < end enter it here; those
   that begin earlier must have done so. */
EXPORT void cheapest_cut(const double *triangles, const double *rights, const double *errors, const int64_t *sizes,
                         int64_t bins, int64_t degrees, double slack, double penalty, int64_t first, int64_t end,
                         double *best) {
    const int64_t square = COEFFICIENTS * COEFFICIENTS;
    double triangle[COEFFICIENTS * COEFFICIENTS], right[COEFFICIENTS], row[COEFFICIENTS];
    for (; first < end; first++) {
        memcpy(triangle, triangles + first * square, sizeof triangle);
        memcpy(right, rights + first * COEFFICIENTS, sizeof right);
        double error = errors[first], size = (double)sizes[first];
        for (int64_t last = first + 1; last <= bins; last++) {
            double cost = best[first] + run_cost(right, error, size, degrees, slack, penalty);
            best[last] = cost < best[last] ? cost : best[last];
            if (last == bins) break;
            size += (double)sizes[last];
            error += errors[last];
            for (int64_t r = 0; r < COEFFICIENTS; r++) {
                memcpy(row, triangles + last * square + r * COEFFICIENTS, sizeof row);
                double left = rotate_in(triangle, right, COEFFICIENTS, COEFFICIENTS, r, row,
                                        rights[last * COEFFICIENTS + r]);
                error += left * left;
            }
        }
    }
}
