/* Predictions, their transpose and normal equations of a sparse design. Two coefficients belong to each feature and
   are stored side by side: even places and odd ones. */

#include "design.h"
#include "linear.h"

EXPORT void in_blocks(const double *by_row, const int64_t *bounds, int64_t runs, int64_t touched, double *values) {
    for (int64_t r = 0; r < runs; r++) {
        int64_t first = bounds[r], rows = bounds[r + 1] - first;
        double *block = values + first * touched;
        for (int64_t k = 0; k < touched; k++)
            for (int64_t i = 0; i < rows; i++) block[k * rows + i] = by_row[(first + i) * touched + k];
    }
}

/* Both linear predictors of the rows of a run. */
void predict_run(const run *here, int64_t touched, const double *w, double *restrict even, double *restrict odd) {
    int64_t rows = here->rows;
    for (int64_t i = 0; i < rows; i++) even[i] = odd[i] = 0.0;
    for (int64_t k = 0; k < touched; k++) {
        const double *x = here->values + k * rows;
        double a = w[2 * here->features[k]], b = w[2 * here->features[k] + 1];
        for (int64_t i = 0; i < rows; i++) {
            even[i] += x[i] * a;
            odd[i] += x[i] * b;
        }
    }
}

void scatter_run(const run *here, int64_t touched, const double *even, const double *odd, double *out) {
    for (int64_t k = 0; k < touched; k++) {
        const double *x = here->values + k * here->rows;
        out[2 * here->features[k]] += dot(x, even, here->rows);
        out[2 * here->features[k] + 1] += dot(x, odd, here->rows);
    }
}

/* A block of features (a, b), a >= b, occupies rows 2a, 2a + 1 and columns 2b, 2b + 1 of the symmetric matrix. */
void band_run(const run *here, int64_t touched, const double *even, const double *mixed, const double *odd,
              int64_t width, double *band) {
    double by_even[LONGEST_RUN], by_mixed[LONGEST_RUN], by_odd[LONGEST_RUN], to[3];
    int64_t rows = here->rows;
    for (int64_t k = 0; k < touched; k++) {
        const double *x = here->values + k * rows;
        for (int64_t i = 0; i < rows; i++) {
            by_even[i] = x[i] * even[i];
            by_mixed[i] = x[i] * mixed[i];
            by_odd[i] = x[i] * odd[i];
        }
        for (int64_t m = 0; m <= k; m++) {
            dot3(by_even, by_mixed, by_odd, here->values + m * rows, rows, to);
            int64_t a = 2 * here->features[k], column = width - 1 + 2 * here->features[m] - a;
            band[a * width + column] += to[0];
            band[(a + 1) * width + column] += to[2];
            band[(a + 1) * width + column - 1] += to[1];
            if (k > m) band[a * width + column + 1] += to[1];
        }
    }
}

EXPORT void predict_rows(const double *values, const int64_t *bounds, const int64_t *index, int64_t runs,
                         int64_t touched, const double *w, double *even, double *odd) {
    design d = {values, bounds, index, runs, touched};
    for (int64_t r = 0; r < runs; r++) {
        run here = run_of(&d, r);
        predict_run(&here, touched, w, even + here.first, odd + here.first);
    }
}

/* The transpose of predict_rows, added to `out`. */
EXPORT void scatter(const double *values, const int64_t *bounds, const int64_t *index, int64_t runs, int64_t touched,
                    const double *even, const double *odd, double *out) {
    design d = {values, bounds, index, runs, touched};
    for (int64_t r = 0; r < runs; r++) {
        run here = run_of(&d, r);
        scatter_run(&here, touched, even + here.first, odd + here.first, out);
    }
}

/* Normal equations of the even coefficients alone, added to the band and the right-hand side. */
static void normal_equations(const design *d, const double *v, const double *s, int64_t width, double *band,
                             double *right) {
    double weighted[LONGEST_RUN];
    for (int64_t r = 0; r < d->runs; r++) {
        run here = run_of(d, r);
        for (int64_t k = 0; k < d->touched; k++) {
            const double *x = here.values + k * here.rows;
            for (int64_t i = 0; i < here.rows; i++) weighted[i] = x[i] * s[here.first + i];
            int64_t a = 2 * here.features[k];
            right[a] += dot(weighted, v + here.first, here.rows);
            for (int64_t m = 0; m <= k; m++)
                band[a * width + width - 1 + 2 * here.features[m] - a] +=
                    dot(weighted, here.values + m * here.rows, here.rows);
        }
    }
}

/* Least squares with row weights s and a ridge; coefficients at the even places of `right`, which is zero on entry.
   Features that no row touches get the coefficient 0. `scratch` holds size * (2 width + 1) numbers. */
EXPORT void least_squares(const double *values, const int64_t *bounds, const int64_t *index, int64_t runs,
                          int64_t touched, const double *v, const double *s, double ridge, double relative,
                          int64_t size, int64_t width, double *scratch, double *right) {
    design d = {values, bounds, index, runs, touched};
    int64_t last = width - 1;
    double *band = scratch, *factor = band + size * width, *length = factor + size * width;
    memset(band, 0, (size_t)(size * width) * sizeof(double));
    normal_equations(&d, v, s, width, band, right);
    /* Columns are scaled to unit length before the relative ridge is added, so that a feature touched by a single
       remote row counts as much as any other. */
    for (int64_t i = 0; i < size; i++) {
        double *diagonal = band + i * width + last;
        *diagonal += ridge;
        if (!(*diagonal > 0.0) && *diagonal == *diagonal) *diagonal = 1.0;
        length[i] = sqrt(*diagonal);
        right[i] /= length[i];
    }
    for (int64_t i = 0; i < size; i++) {
        for (int64_t c = i > last ? i - last : 0; c <= i; c++) band[i * width + last + c - i] /= length[i] * length[c];
        band[i * width + last] += relative;
    }
    bool solved = damped_cholesky(band, size, width, factor);
    if (solved) solve(factor, size, width, right);
    for (int64_t i = 0; i < size; i++) right[i] = solved ? right[i] / length[i] : NAN;
}

/* g' H^-1 g per row, where g = (per_location, per_precision) spread over the row's features and L L' = H. Only the
   forward half is needed: |L^-1 g|^2, and L^-1 g begins at the row's first feature. */
EXPORT void quadratic_forms(const double *values, const int64_t *bounds, const int64_t *index, int64_t runs,
                            int64_t touched, const double *factor, int64_t size, int64_t width,
                            const double *per_location, const double *per_precision, double *g, double *out) {
    design d = {values, bounds, index, runs, touched};
    int64_t last = width - 1;
    for (int64_t r = 0; r < runs; r++) {
        run here = run_of(&d, r);
        for (int64_t i = 0; i < here.rows; i++) {
            int64_t begin = size;
            memset(g, 0, (size_t)size * sizeof(double));
            for (int64_t k = 0; k < touched; k++) {
                int64_t a = 2 * here.features[k];
                double x = here.values[k * here.rows + i];
                g[a] += x * per_location[here.first + i];
                g[a + 1] += x * per_precision[here.first + i];
                begin = a < begin ? a : begin;
            }
            double form = 0.0;
            for (int64_t j = begin; j < size; j++) {
                double known = g[j] /= factor[j * width + last];
                int64_t end = j + width < size ? j + width : size;
                for (int64_t k = j + 1; k < end; k++) g[k] -= factor[k * width + last - k + j] * known;
                form += known * known;
            }
            out[here.first + i] = form;
        }
    }
}
