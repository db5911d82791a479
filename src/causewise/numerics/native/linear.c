/* Banded Cholesky, and least squares row by row with Givens rotations. Here `width` is the number of stored entries of
   a row: the half-width of a symmetric band plus one, or the bandwidth of an upper triangle. */

#include "linear.h"

/* Right-looking: each pivot is taken off the rows below it at once, in loops without a sum, which a processor runs
   side by side; a row of the band is too short for sums to be fast. */
EXPORT bool cholesky(const double *band, int64_t size, int64_t width, double *factor) {
    int64_t last = width - 1;
    memcpy(factor, band, (size_t)(size * width) * sizeof(double));
    for (int64_t j = 0; j < size; j++) {
        double pivot = factor[j * width + last];
        if (!(pivot > 0.0)) return false;
        double root = sqrt(pivot), inverse = 1.0 / root;
        factor[j * width + last] = root;
        int64_t end = j + width < size ? j + width : size;
        for (int64_t i = j + 1; i < end; i++) {
            double *row = factor + i * width + last - i; /* row[c] is entry (i, c) */
            double weight = row[j] *= inverse;
            if (weight == 0.0) continue;
            for (int64_t c = j + 1; c <= i; c++) row[c] -= weight * factor[c * width + last - c + j];
        }
    }
    return true;
}

/* Of a matrix that only rounding can make indefinite: a relative ridge, grown tenfold, restores it. False when even
   one of the matrix's own size does not help, which means that it holds NaN. */
EXPORT bool damped_cholesky(double *band, int64_t size, int64_t width, double *factor) {
    for (double ridge = 1e-13; !cholesky(band, size, width, factor); ridge *= 10.0) {
        if (ridge > 1.0) return false;
        for (int64_t i = 0; i < size; i++) band[i * width + width - 1] *= 1.0 + ridge;
    }
    return true;
}

/* L L' x = right, in place. */
EXPORT void solve(const double *factor, int64_t size, int64_t width, double *x) {
    int64_t last = width - 1;
    for (int64_t i = 0; i < size; i++) {
        double known = x[i] /= factor[i * width + last];
        int64_t end = i + width < size ? i + width : size;
        for (int64_t k = i + 1; k < end; k++) x[k] -= factor[k * width + last - k + i] * known;
    }
    for (int64_t i = size - 1; i >= 0; i--) {
        double known = x[i] /= factor[i * width + last];
        const double *row = factor + i * width + last - i;
        for (int64_t c = i > last ? i - last : 0; c < i; c++) x[c] -= row[c] * known;
    }
}

/* Bring the equation row . x[start:] = target into the triangular system; `row` is used up. Returns what is left of
   the target: the root of what the equation adds to the sum of squared errors. */
EXPORT double rotate_in(double *triangle, double *right, int64_t size, int64_t width, int64_t start,
                               double *row, double target) {
    for (int64_t j = start; j < size; j++) {
        double *above = triangle + j * width;
        if (row[0] == 0.0) {
            for (int64_t t = 1; t < width; t++) row[t - 1] = row[t];
        } else {
            /* hypot, not the root of a sum of squares, which loses rows whose entries are below 1e-154; a row of
               ordinary size takes the short way. */
            double a = fabs(above[0]), b = fabs(row[0]), large = a > b ? a : b, small = a > b ? b : a;
            double length = large > 1e-140 && large < 1e140 ? sqrt(large * large + small * small) : hypot(a, b);
            double cosine = above[0] / length, sine = row[0] / length;
            above[0] = length;
            for (int64_t t = 1; t < width; t++) {
                double up = above[t], down = row[t];
                above[t] = cosine * up + sine * down;
                row[t - 1] = cosine * down - sine * up;
            }
            double up = right[j];
            right[j] = cosine * up + sine * target;
            target = cosine * target - sine * up;
        }
        row[width - 1] = 0.0;
        if (j >= start + width - 1) { /* where the triangle fills in, the row goes on beyond its own width */
            bool done = true;
            for (int64_t t = 0; t < width; t++) done = done && row[t] == 0.0;
            if (done) break;
        }
    }
    return target;
}

EXPORT void back_substitution(const double *triangle, const double *right, int64_t size, int64_t width,
                                     double *x) {
    for (int64_t j = size - 1; j >= 0; j--) {
        double rest = right[j];
        for (int64_t m = 1; m < width && j + m < size; m++) rest -= triangle[j * width + m] * x[j + m];
        x[j] = rest / triangle[j * width];
    }
}
