/* Gaussian kernel matrices as products of thin factors; see numerics/kernel.py. */

#include "lanes.h"

#define PIECE 512 /* rows taken at a time: their part of the factor is found in the nearest caches again */

/* exp(-|p - z|^2 scale^2) for some rows p; column k of the points begins at points + k * stride. */
static void kernel_row(const double *points, int64_t dimensions, int64_t stride, const double *z, int64_t z_stride,
                       double scale, double *restrict row, int64_t rows) {
    memset(row, 0, (size_t)rows * sizeof(double));
    for (int64_t k = 0; k < dimensions; k++) {
        const double *restrict p = points + k * stride;
        double from = z[k * z_stride];
        for (int64_t i = 0; i < rows; i++) {
            double d = (p[i] - from) * scale;
            row[i] -= d * d;
        }
    }
    exp_many(row, row, rows);
}

/* Take the sum of weight_j factor_j off a row, j in ascending order, eight of them to one reading of the row. */
static void take_off(double *restrict row, int64_t rows, const double *restrict factor, int64_t stride,
                     const double *weight, int64_t step, int64_t count) {
    int64_t j = 0;
    for (; j + 8 <= count; j += 8) {
        const double *f = factor + j * stride, *w = weight + j * step;
        double a = w[0], b = w[step], c = w[2 * step], d = w[3 * step];
        double e = w[4 * step], g = w[5 * step], h = w[6 * step], k = w[7 * step];
        for (int64_t i = 0; i < rows; i++) {
            double left = row[i] - a * f[i] - b * f[stride + i] - c * f[2 * stride + i] - d * f[3 * stride + i];
            row[i] = left - e * f[4 * stride + i] - g * f[5 * stride + i] - h * f[6 * stride + i] -
                     k * f[7 * stride + i];
        }
    }
    for (; j < count; j++)
        for (int64_t i = 0; i < rows; i++) row[i] -= weight[j * step] * factor[j * stride + i];
}

/* The row that misses most; of several that miss as much but for `alike`, the least far away. */
static int64_t worst(const double *missing, const double *away, int64_t n, double alike) {
    double bar = largest(missing, n) - alike;
    int64_t best = -1;
    for (int64_t from = 0; from < n; from += 32) {
        int64_t rows = n - from < 32 ? n - from : 32;
        if (largest(missing + from, rows) < bar) continue;
        for (int64_t i = from; i < from + rows; i++)
            if (missing[i] >= bar && (best < 0 || away[i] < away[best])) best = i;
    }
    return best < 0 ? 0 : best; /* none is found among numbers that are NaN */
}

/* Pivoted incomplete Cholesky of exp(-|d|^2 / bandwidth) for n points (dimensions x n), from `rank` pivots on up to
   `until`. Returns how many there are, less than `until` when no row misses more than the tolerance. */
EXPORT int64_t pivoted_cholesky(const double *points, int64_t dimensions, int64_t n, double bandwidth,
                                double tolerance, const double *away, double alike, int64_t rank, int64_t until,
                                double *missing, int64_t *chosen, double *factor) {
    double scale = 1.0 / sqrt(bandwidth), row[PIECE];
    for (; rank < until; rank++) {
        int64_t pivot = worst(missing, away, n, alike);
        if (!(missing[pivot] > tolerance)) break;
        double inverse = 1.0 / sqrt(missing[pivot]);
        for (int64_t from = 0; from < n; from += PIECE) {
            int64_t rows = n - from < PIECE ? n - from : PIECE;
            kernel_row(points + from, dimensions, n, points + pivot, n, scale, row, rows);
            take_off(row, rows, factor + from, n, factor + pivot, n, rank);
            double *out = factor + rank * n + from, *left = missing + from;
            for (int64_t i = 0; i < rows; i++) {
                double value = row[i] * inverse;
                out[i] = value;
                left[i] -= value * value;
            }
        }
        missing[pivot] = 0.0;
        chosen[rank] = pivot;
    }
    return rank;
}

/* The features of the rows from `start` to `stop` of n by forward substitution, all rows of a piece side by side. */
EXPORT void fill_features(const double *column, int64_t n, int64_t start, int64_t stop, const double *pivots,
                          const double *triangle, int64_t rank, double bandwidth, double *out) {
    double scale = 1.0 / sqrt(bandwidth), row[PIECE];
    for (int64_t from = start; from < stop; from += PIECE) {
        int64_t rows = stop - from < PIECE ? stop - from : PIECE;
        for (int64_t k = 0; k < rank; k++) {
            kernel_row(column + from, 1, n, pivots + k, 1, scale, row, rows);
            take_off(row, rows, out + from, n, triangle + k * rank, 1, k);
            double inverse = 1.0 / triangle[k * rank + k], *to = out + k * n + from;
            for (int64_t i = 0; i < rows; i++) to[i] = row[i] * inverse;
        }
    }
}
