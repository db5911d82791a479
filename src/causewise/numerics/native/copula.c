/* The kernel copula on its grid, quantiles read off it, and maximal correlation; see methods/baselines/qccd.py. */

#include "lanes.h"

#define POINTS 30
#define LINE 40 /* a line of the grid and room for the last eight to run over its end */
#define EDGE 3.25
#define STEP (2.0 * EDGE / (POINTS - 1))
#define FLOOR 1e-4
#define FAINT 1e-40 /* kernel values below this add nothing to a double */
#define LOG_FAINT -92.2
#define FLAT 1e-12 /* a transform of a unit column that varies less than this is constant but for rounding */

/* line[m] += start q^m gauss[m], m = 0 ... last. */
INLINE void walk(double *line, double start, double q, const double *gauss, int64_t last) {
    double q2 = q * q, q3 = q2 * q, q4 = q2 * q2, q8 = q4 * q4;
    double power[8] = {1.0, q, q2, q3, q4, q4 * q, q4 * q2, q4 * q3};
    lanes now[PARTS];
    for (int p = 0; p < PARTS; p++) {
        lanes part = {0};
        for (int l = 0; l < WIDTH; l++) part[l] = power[p * WIDTH + l]; /* `load` would wait for the stores */
        now[p] = start * part;
    }
    for (int64_t m = 0; m <= last; m += 8)
        for (int p = 0; p < PARTS; p++) {
            int64_t at = m + p * WIDTH;
            lanes finite = choose(now[p] < 1e300, now[p], all(1e300)); /* where gauss is 0 already, q^m may overflow */
            store(line + at, load(line + at) + finite * load(gauss + at));
            now[p] *= q8;
        }
}

/* The sum over the rows of exp(-(s^2 + w^2)/2) on the grid, the whitened distances being s = (g_a - z_a)/h and
   w = ((g_b - z_b)/h - r s)/sqrt(1 - r^2); added to two grids of POINTS lines: `up` holds what lies at or above the peak
   of a line, `down` what lies below, counted from the other end. */
EXPORT void kernel_sum(const double *z_a, const double *z_b, int64_t n, double r, double h, double *up, double *down) {
    /* Along b the grid has a constant step d in w: m places from the peak exp(-w^2/2) has changed by the factors
       exp(-d w)^m and exp(-d^2 m^2 / 2), of which the second is the same for all rows; two exponentials for 30 values.
       Counted from the peak nothing can overflow before it is faint. */
    double root = sqrt(1.0 - r * r), delta = STEP / (h * root), gauss[LINE] = {0};
    int64_t reach = 0;
    for (int64_t m = 0; m < POINTS; m++) {
        double square = 0.5 * delta * delta * (double)m;
        if (square * (double)(m - 1) > -LOG_FAINT || square * (double)m > 700.0) break;
        gauss[m] = exp_one(-square * (double)m);
        reach = m;
    }
    for (int64_t t = 0; t < n; t++) {
        double start[LINE], slope[LINE], peak[LINE];
        for (int64_t i = 0; i < 32; i++) { /* two more than are used: whole vectors of any width */
            double s = (-EDGE + STEP * (double)i - z_a[t]) / h, w0 = ((-EDGE - z_b[t]) / h - r * s) / root;
            double at = rint(-w0 / delta);
            at = at < 0.0 ? 0.0 : at;
            peak[i] = at > POINTS - 1 ? POINTS - 1 : at;
            double w = w0 + delta * peak[i];
            start[i] = -0.5 * (s * s + w * w);
            slope[i] = -delta * w;
        }
        exp_many(start, start, 32);
        exp_many(slope, slope, 32);
        for (int64_t i = 0; i < POINTS; i++) {
            if (!(start[i] >= FAINT)) continue;
            int64_t below = (int64_t)peak[i], above = POINTS - 1 - below;
            double back = 1.0 / slope[i];
            walk(up + i * LINE + below, start[i], slope[i], gauss, above < reach ? above : reach);
            int64_t last = (below < reach ? below : reach) - 1;
            if (last >= 0) walk(down + i * LINE + above + 1, start[i] * back, back, gauss + 1, last);
        }
    }
}

/* Index of the cell that holds a value; the outer ones hold what lies beyond. */
static int64_t cell(const double *edges, double value) {
    int64_t low = 0, high = POINTS - 1; /* the last j < high with edges[j] <= value, or 0 */
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (edges[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where a piecewise linear density has `mass` to its left. */
static double inverse(const double *f, const double *p, const double *cumulated, double mass) {
    int64_t j = cell(cumulated, mass);
    double rest = mass - cumulated[j], slope = (f[j + 1] - f[j]) / (p[j + 1] - p[j]);
    double square = f[j] * f[j] + 2.0 * slope * rest;
    /* The root of f x + slope x^2/2 = rest in the form that does not cancel for small slopes. */
    return p[j] + 2.0 * rest / (f[j] + sqrt(square > 0.0 ? square : 0.0));
}

/* Quantiles of the second variable given values of the first: n x levels. */
EXPORT void conditional_quantiles(const double *density, const double *p, const double *given, int64_t n,
                                  const double *levels, int64_t n_levels, double *out) {
    double f[POINTS], cumulated[POINTS] = {0};
    for (int64_t t = 0; t < n; t++) {
        int64_t i = cell(p, given[t]);
        const double *here = density + i * POINTS, *next = here + POINTS;
        double w = (given[t] - p[i]) / (p[i + 1] - p[i]);
        for (int64_t j = 0; j < POINTS; j++) {
            double between = (1.0 - w) * here[j] + w * next[j];
            f[j] = between > FLOOR ? between : FLOOR;
        }
        for (int64_t j = 1; j < POINTS; j++)
            cumulated[j] = cumulated[j - 1] + 0.5 * (f[j] + f[j - 1]) * (p[j] - p[j - 1]);
        for (int64_t k = 0; k < n_levels; k++)
            out[t * n_levels + k] = inverse(f, p, cumulated, levels[k] * cumulated[POINTS - 1]);
    }
}

/* In place: entries of equal rank become their mean. */
static void share_ties(double *values, const double *ranks, int64_t n) {
    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && ranks[end] == ranks[first];) end++;
        if (end - first == 1) continue;
        double mean = total(values + first, end - first) / (double)(end - first);
        for (int64_t i = first; i < end; i++) values[i] = mean;
    }
}

/* Moving average of `values` in the given order, a fifth of the rows to each side, flat at the ends; then mean 0 and
   standard deviation 1. False, and all zero, where it is flat. Rows of equal rank get the same expectation, and enter
   it through their mean, whatever their order. */
static bool expectation(const double *values, const int64_t *order, const double *ranks, int64_t n, double *sorted,
                        double *sums, double *out) {
    int64_t half = n > 2 ? (n + 4) / 5 : 0;
    for (int64_t i = 0; i < n; i++) sorted[i] = values[order[i]];
    share_ties(sorted, ranks, n);
    sums[0] = 0.0;
    for (int64_t i = 0; i < n; i++) sums[i + 1] = sums[i] + sorted[i];
    double window = (double)(2 * half + 1);
    for (int64_t i = half; i < n - half; i++) sorted[i] = (sums[i + half + 1] - sums[i - half]) / window;
    for (int64_t i = 0; i < half; i++) {
        sorted[i] = sorted[half];
        sorted[n - 1 - i] = sorted[n - 1 - half];
    }
    share_ties(sorted, ranks, n);
    double mean = total(sorted, n) / (double)n;
    for (int64_t i = 0; i < n; i++) sorted[i] -= mean;
    double spread = sqrt(dot(sorted, sorted, n) / (double)(n - 1));
    bool flat = !(spread > FLAT);
    for (int64_t i = 0; i < n; i++) out[order[i]] = flat ? 0.0 : sorted[i] / spread;
    return !flat;
}

/* Where an alternation stands, as methods/baselines/qccd.py reads it. */
enum { DISTANCE, CHANGE, STATE };

/* Alternating conditional expectations, at most `steps` of them; false once a transform is flat, and
   nothing is left to correlate. `scratch` holds 2 n + 1 numbers. */
EXPORT bool alternate_expectations(const int64_t *order_a, const int64_t *order_b, const double *sorted_a,
                                   const double *sorted_b, int64_t n, int64_t steps, double tolerance, double *phi_a,
                                   double *phi_b, double *state, double *scratch) {
    double *sorted = scratch, *sums = scratch + n;
    for (; steps > 0 && state[CHANGE] > tolerance; steps--) {
        /* The published inner loop repeats this line until phi_b stands still, which one step achieves since phi_a is
           fixed. */
        if (!expectation(phi_a, order_b, sorted_b, n, sorted, sums, phi_b)) return false;
        if (!expectation(phi_b, order_a, sorted_a, n, sorted, sums, phi_a)) return false;
        for (int64_t i = 0; i < n; i++) sorted[i] = phi_a[i] - phi_b[i];
        double now = dot(sorted, sorted, n) / (double)n;
        state[CHANGE] = fabs(now - state[DISTANCE]);
        state[DISTANCE] = now;
    }
    return true;
}
