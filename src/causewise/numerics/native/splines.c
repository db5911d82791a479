/* B-splines by their local support, and the least-squares spline of sorted rows. */

#include "linear.h"

#define MOST_DEGREE 63

/* Cox-de Boor recursion, row by row; inside a knot interval every term is positive, so nothing cancels. */
EXPORT void spline_values(const double *u, int64_t n, const double *knots, int64_t n_knots, int64_t degree,
                          int64_t *first, double *values) {
    int64_t last = n_knots - degree - 2, k = degree;
    double low = knots[degree], high = knots[last + 1];
    double right[MOST_DEGREE + 1], left[MOST_DEGREE + 1];
    for (int64_t i = 0; i < n; i++) {
        double x = u[i] < low ? low : u[i] > high ? high : u[i];
        if (!(knots[k] <= x && (x < knots[k + 1] || k == last))) {
            int64_t from = degree, to = last + 1; /* the last k in [degree, last] with knots[k] <= x */
            while (to - from > 1) {
                int64_t middle = (from + to) / 2;
                if (knots[middle] <= x)
                    from = middle;
                else
                    to = middle;
            }
            k = from;
        }
        double *row = values + i * (degree + 1);
        row[0] = 1.0;
        for (int64_t d = 1; d <= degree; d++) {
            left[d] = x - knots[k + 1 - d];
            right[d] = knots[k + d] - x;
            double carry = 0.0;
            for (int64_t r = 0; r < d; r++) {
                double share = row[r] / (right[r + 1] + left[d - r]);
                row[r] = carry + right[r + 1] * share;
                carry = left[d - r] * share;
            }
            row[d] = carry;
        }
        first[i] = k - degree;
    }
}

/* Coefficients of the least-squares spline; rows sorted by `first`, `width` values each. */
EXPORT void spline_coefficients(const int64_t *first, const double *values, int64_t n, int64_t width, int64_t size,
                                const double *v, double ridge, double *triangle, double *right, double *x) {
    double row[MOST_DEGREE + 1];
    for (int64_t j = 0; j < size; j++) triangle[j * width] = sqrt(ridge);
    for (int64_t i = 0; i < n; i++) {
        memcpy(row, values + i * width, (size_t)width * sizeof(double));
        rotate_in(triangle, right, size, width, first[i], row, v[i]);
    }
    back_substitution(triangle, right, size, width, x);
}
