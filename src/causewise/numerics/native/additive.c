/* The optimum of a mean and a log-variance that are sums of features: the derivation is in models/additive.py.

   Features lie a line each, n numbers long, the first of them the constant; a block of rows at a time stays in the
   first cache. */

#include "linear.h"

#define BLOCK 256
#define FLOOR -9.0   /* additive.py has it, too */
#define LEAST 1e-6   /* additive.py has it, too */
#define GAIN 1e-3    /* nats a row by which a round must improve the fit to be followed by another */
#define ROUNDS 15
#define STEPS 2      /* of the log-variance in a round */
#define SHORTEST 1e-3

/* The lower triangle of lines' weighted products, as `cholesky` has it; its sums with the targets, if there are any. */
static void multiply_lines(const double *lines, int64_t n, int64_t size, const double *weight, const double *v,
                           double *band, double *right) {
    double heavy[BLOCK], out[3];
    memset(band, 0, (size_t)(size * size) * sizeof(double));
    for (int64_t j = 0; v && j < size; j++) right[j] = 0.0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t rows = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t j = 0; j < size; j++) {
            const double *line = lines + j * n + first, *other = lines + first;
            double *sums = band + (j + 1) * size - 1 - j;
            for (int64_t i = 0; i < rows; i++) heavy[i] = weight ? weight[first + i] * line[i] : line[i];
            if (v) right[j] += dot(heavy, v + first, rows);
            int64_t k = 0;
            for (; k + 3 <= j + 1; k += 3) {
                dot3(other + k * n, other + (k + 1) * n, other + (k + 2) * n, heavy, rows, out);
                for (int m = 0; m < 3; m++) sums[k + m] += out[m];
            }
            for (; k <= j; k++) sums[k] += dot(other + k * n, heavy, rows);
        }
    }
}

static void raise_diagonal(double *band, int64_t size, const double *prior, double share) {
    for (int64_t i = 0; i < size; i++) {
        double *entry = band + (i + 1) * size - 1;
        *entry = (*entry + prior[i]) * (1.0 + share);
    }
}

static void add_up(const double *lines, int64_t n, int64_t size, const double *w, double *out) {
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t end = n - first < BLOCK ? n : first + BLOCK;
        for (int64_t i = first; i < end; i++) out[i] = 0.0;
        for (int64_t j = 0; j < size; j++)
            for (int64_t i = first; i < end; i++) out[i] += w[j] * lines[j * n + i];
    }
}

static double penalise(const double *prior, const double *w, int64_t size) {
    double sum = 0.0;
    for (int64_t j = 0; j < size; j++) sum += prior[j] * w[j] * w[j];
    return 0.5 * sum;
}

/* The log-likelihood of log-variances s + length * way, which go to `to`; `miss` is what squares are over those. */
static double measure(const double *s, const double *way, double length, const double *squares, int64_t n, double *to,
                      double *miss) {
    for (int64_t i = 0; i < n; i++) to[i] = s[i] + length * way[i], miss[i] = -to[i];
    exp_many(miss, miss, n);
    for (int64_t i = 0; i < n; i++) miss[i] *= squares[i];
    return -0.5 * (total(to, n) + total(miss, n));
}

/* A mean whose noise has one variance, and its logarithm: that tells how strong the prior is, and the other way round.
   Products of lines are summed once, and their diagonal is kept in `bare`. */
static bool fit_even(const double *of_mean, const double *v, int64_t n, int64_t p, const double *prior, double *b,
                     double *c, double *squares, double *bare, double *band, double *factor, double *right) {
    multiply_lines(of_mean, n, p, NULL, v, band, right);
    for (int64_t i = 0; i < p; i++) bare[i] = band[(i + 1) * p - 1];
    for (int round = 0; round < ROUNDS; round++) {
        double before = c[0], variance = exp_one(before > FLOOR ? before : FLOOR);
        for (int64_t i = 0; i < p; i++) band[(i + 1) * p - 1] = (bare[i] + prior[i] * variance) * (1.0 + 1e-10);
        if (!damped_cholesky(band, p, p, factor)) return false;
        memcpy(b, right, (size_t)p * sizeof(double));
        solve(factor, p, p, b);
        add_up(of_mean, n, p, b, squares);
        for (int64_t i = 0; i < n; i++) squares[i] = (v[i] - squares[i]) * (v[i] - squares[i]) + LEAST;
        c[0] = log_one(total(squares, n) / (double)n);
        if (fabs(c[0] - before) < GAIN) break;
    }
    return true;
}

/* Mean and log-variance in turn: the mean by weighted least squares, the log-variance by steps of Fisher's scoring,
   whose information is the same everywhere, halved until they climb. b and c, p and q of them, are the coefficients,
   c where it begins. `scratch` holds 6 n + 2 (p + 1)² + 2 (q + 1)² numbers. False if there is no solution: some number
   is none. */
EXPORT bool additive_fit(const double *of_mean, const double *of_variance, const double *v, int64_t n, int64_t p,
                         int64_t q, const double *prior, double *b, double *c, double *scratch) {
    double *s = scratch, *weight = s + n, *squares = weight + n, *way = squares + n, *to = way + n, *miss = to + n;
    double *band = miss + n, *factor = band + p * p, *right = factor + p * p;
    double *curvature = right + p, *scale = curvature + q * q, *step = scale + q * q, *there = step + q;
    if (q == 1) return fit_even(of_mean, v, n, p, prior, b, c, squares, way, band, factor, right);
    multiply_lines(of_variance, n, q, NULL, NULL, curvature, NULL);
    for (int64_t i = 0; i < q * q; i++) curvature[i] *= 0.5;
    raise_diagonal(curvature, q, prior, 0.0);
    if (!damped_cholesky(curvature, q, q, scale)) return false;
    double reached = -INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        add_up(of_variance, n, q, c, s);
        for (int64_t i = 0; i < n; i++) weight[i] = -(s[i] > FLOOR ? s[i] : FLOOR);
        exp_many(weight, weight, n);
        multiply_lines(of_mean, n, p, weight, v, band, right);
        raise_diagonal(band, p, prior, 1e-10);
        if (!damped_cholesky(band, p, p, factor)) return false;
        memcpy(b, right, (size_t)p * sizeof(double));
        solve(factor, p, p, b);
        add_up(of_mean, n, p, b, squares);
        for (int64_t i = 0; i < n; i++) squares[i] = (v[i] - squares[i]) * (v[i] - squares[i]) + LEAST;
        memset(way, 0, (size_t)n * sizeof(double));
        double here = measure(s, way, 0.0, squares, n, to, miss) - penalise(prior, c, q);
        for (int tried = 0; tried < STEPS; tried++) {
            for (int64_t i = 0; i < n; i++) miss[i] = 0.5 * (miss[i] - 1.0);
            for (int64_t j = 0; j < q; j++) step[j] = dot(of_variance + j * n, miss, n) - prior[j] * c[j];
            solve(scale, q, q, step);
            add_up(of_variance, n, q, step, way);
            double value = -INFINITY;
            for (double length = 1.0; length > SHORTEST && !(value >= here); length /= 2.0) {
                for (int64_t j = 0; j < q; j++) there[j] = c[j] + length * step[j];
                value = measure(s, way, length, squares, n, to, miss) - penalise(prior, there, q);
            }
            if (!(value >= here)) break;
            here = value;
            memcpy(c, there, (size_t)q * sizeof(double));
            memcpy(s, to, (size_t)n * sizeof(double));
        }
        double now = (here - penalise(prior, b, p)) / (double)n;
        if (now - reached < GAIN) break;
        reached = now;
    }
    return true;
}
