/* GRCI: piecewise linear regression with leverages, and counts of neighbours; see baselines/grci.py. */

#include "linear.h"

#define BLOCK 512
#define DIAGONALS 3

static void add_row(double *factor, double *right, int64_t size, int64_t start, double a, double b, double c,
                    double target) {
    double row[DIAGONALS] = {a, b, c};
    rotate_in(factor, right, size, DIAGONALS, start, row, target);
}

/* Two rows with the same normal equations as the cell's rows (1 - w, w | t): the QR factor of (1, w | t). */
static void add_cell(double *factor, double *right, int64_t size, int64_t c, const double *u, const double *t,
                     int64_t n) {
    double w[BLOCK], from[BLOCK], cells = (double)(size - 1), place = (double)c, root = sqrt((double)n);
    double w_mean = 0.0, t_mean = total(t, n) / (double)n, squares = 0.0, products = 0.0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t rows = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t i = 0; i < rows; i++) w[i] = u[first + i] * cells - place;
        w_mean += total(w, rows);
    }
    w_mean /= (double)n;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t rows = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t i = 0; i < rows; i++) {
            w[i] = u[first + i] * cells - place - w_mean;
            from[i] = t[first + i] - t_mean;
        }
        squares += dot(w, w, rows);
        products += dot(w, from, rows);
    }
    double spread = sqrt(squares);
    add_row(factor, right, size, c, root * (1.0 - w_mean), root * w_mean, 0.0, root * t_mean);
    if (spread > 0.0) add_row(factor, right, size, c, -spread, spread, 0.0, products / spread);
}

/* The column'th column of the inverse of R'. */
static void inverse_column(const double *factor, int64_t size, int64_t column, double *out) {
    for (int64_t j = 0; j < column; j++) out[j] = 0.0;
    for (int64_t j = column; j < size; j++) {
        double value = j == column ? 1.0 : 0.0;
        for (int64_t back = 1; back < DIAGONALS && j - back >= column; back++)
            value -= factor[(j - back) * DIAGONALS + back] * out[j - back];
        out[j] = value / factor[j * DIAGONALS];
    }
}

/* For each cell the 2 x 2 triangle C with leverage |C (1 - w, w)|^2, from columns c, c + 1 of the inverse of R'. */
static void lever_factors(const double *factor, int64_t size, double *here, double *next, double *lever) {
    inverse_column(factor, size, 0, here);
    for (int64_t c = 0; c + 1 < size; c++) {
        inverse_column(factor, size, c + 1, next);
        double *out = lever + 3 * c;
        out[0] = sqrt(dot(here, here, size));
        out[1] = dot(here, next, size) / out[0];
        double along = out[1] / out[0];
        for (int64_t j = 0; j < size; j++) here[j] = next[j] - along * here[j];
        out[2] = sqrt(dot(here, here, size));
        double *swap = here;
        here = next, next = swap;
    }
}

/* `edges` holds `knots` whole numbers, `scratch` 10 knots numbers. */
EXPORT void fit_piecewise_linear(const double *u, const double *t, int64_t n, int64_t knots, double ridge,
                                 int64_t *edges, double *scratch, double *fitted, double *leverage) {
    int64_t cells = knots - 1, end = 0;
    double *factor = scratch, *right = factor + DIAGONALS * knots, *theta = right + knots, *lever = theta + knots;
    double root = sqrt(ridge), slope = root * (double)cells;
    memset(scratch, 0, (size_t)((DIAGONALS + 1) * knots) * sizeof(double));
    add_row(factor, right, knots, 0, root, 0.0, 0.0, 0.0);
    add_row(factor, right, knots, 0, -slope, slope, 0.0, 0.0);
    for (int64_t c = 0; c + 1 < cells; c++) add_row(factor, right, knots, c, slope, -2.0 * slope, slope, 0.0);
    for (int64_t c = 0; c < cells; c++) { /* a cell is [c, c + 1) / cells; the last one is closed */
        edges[c] = end;
        while (end < n && (c == cells - 1 || u[end] * (double)cells < (double)(c + 1))) end++;
        if (end > edges[c]) add_cell(factor, right, knots, c, u + edges[c], t + edges[c], end - edges[c]);
    }
    edges[cells] = n;
    back_substitution(factor, right, knots, DIAGONALS, theta);
    lever_factors(factor, knots, lever + 3 * cells, lever + 3 * cells + knots, lever);
    for (int64_t c = 0; c < cells; c++) {
        const double *triangle = lever + 3 * c;
        for (int64_t i = edges[c]; i < edges[c + 1]; i++) {
            double w = u[i] * (double)cells - (double)c;
            double first = triangle[0] * (1.0 - w) + triangle[1] * w, second = triangle[2] * w;
            fitted[i] = theta[c] * (1.0 - w) + theta[c + 1] * w;
            leverage[i] = first * first + second * second;
        }
    }
}

/* How many entries of the sorted column, n > 0 of them, lie within each radius.
   The test is on the rounded difference, |v - c| <= r, never on v <= c + r as in a search for c +- r: a radius that is
   itself the difference of two entries would lose its own end to rounding. Rounded subtraction is monotone, so
   bisection stays valid. Both ends are sought together, without branches: no processor could foresee them. */
EXPORT void count_within(const double *ordered, int64_t n, const double *centres, const double *radius, int64_t count,
                         int64_t *out) {
    for (int64_t i = 0; i < count; i++) {
        double c = centres[i], r = radius[i];
        const double *below = ordered, *within = ordered;
        for (int64_t left = n; left > 1;) {
            int64_t half = left / 2;
            below += c - below[half - 1] > r ? half : 0;
            within += within[half - 1] - c <= r ? half : 0;
            left -= half;
        }
        out[i] = (within - ordered) + (*within - c <= r) - (below - ordered) - (c - *below > r);
    }
}
