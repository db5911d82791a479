/* Steps of natural parameters that add up: the derivation is in models/natural.py, and the names are those used there.

   `lines` holds a feature a line, the first of them the constant; w the coefficients of eta, then those of z, then the
   logarithm of the rate. A block of rows at a time: what is computed for a row stays in the first cache. */

#include "linear.h"

#define BLOCK 256
#define LEAST 1e-6  /* natural.py has it too */
#define MOST 1e300  /* of the product of four rates: the logarithm is one of numbers */
#define TRIES 12    /* of a step, each damped more */
#define SHARE 0.1   /* of the promise that a step must keep */
#define GOOD 0.3    /* share above which the next step is damped less */
#define LESS 0.1
#define MORE 5.0
#define SMALLEST 1e-8
#define FIRST 1e-3  /* damping where a step fails that had next to none */
#define STRONG 0.03 /* damping above which a step promises little even far from the optimum: a tenth of it is asked */

/* log(1 + exp z) and its slope. The sum 1 + e loses digits of e, and so does its logarithm, to which they are added. */
INLINE lanes soften(lanes z, lanes *slope) {
    lanes e = exp_lanes(choose(z < 0.0, z, -z)), y = 1.0 + e, inverse = 1.0 / y;
    *slope = choose(z < 0.0, e, all(1.0)) * inverse;
    return choose(z > 0.0, z, all(0.0)) + (log_lanes(y) + (e - (y - 1.0)) * inverse);
}

/* A sum of features at some rows; what is behind the last of them is zero. */
static void add_up(const double *lines, int64_t n, int64_t size, const double *w, int64_t rows, double *out) {
    for (int64_t i = 0; i < BLOCK; i++) out[i] = 0.0;
    for (int64_t j = 0; j < size; j++)
        for (int64_t i = 0; i < rows; i++) out[i] += w[j] * lines[j * n + i];
}

/* The log-likelihood, up to a constant; minus infinity where it is no number. Four rates share a logarithm. */
EXPORT double natural_measure(const double *lines, const double *v, int64_t n, int64_t size, const double *w) {
    double eta[BLOCK], z[BLOCK], target[BLOCK] = {0}, rates[BLOCK], out[BLOCK];
    double value = 0.0, rate = exp_one(w[2 * size]);
    const int64_t quarter = BLOCK / 4;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t rows = n - first < BLOCK ? n - first : BLOCK;
        add_up(lines + first, n, size, w, rows, eta);
        add_up(lines + first, n, size, w + size, rows, z);
        memcpy(target, v + first, (size_t)rows * sizeof(double));
        for (int64_t i = 0; i < rows; i += WIDTH) {
            lanes slope, here = rate * soften(load(z + i), &slope) + LEAST;
            lanes miss = load(target + i) * here - load(eta + i);
            store(rates + i, here);
            store(out + i, miss * miss / here);
        }
        for (int64_t i = rows; i < BLOCK; i++) rates[i] = 1.0;
        value -= total(out, rows);
        for (int64_t i = 0; i < quarter; i += WIDTH) {
            lanes low = load(rates + i) * load(rates + quarter + i);
            lanes high = load(rates + 2 * quarter + i) * load(rates + 3 * quarter + i);
            lanes product = low * high;
            store(out + i, log_lanes(choose(product < MOST, product, all(MOST))));
        }
        value += total(out, quarter);
    }
    return isfinite(value) ? 0.5 * value : -INFINITY;
}

/* What the derivatives at some rows are made of. */
typedef struct {
    double to_eta[BLOCK], to_z[BLOCK], to_rate[BLOCK];       /* slopes of the log-likelihood */
    double eta_eta[BLOCK], eta_z[BLOCK], z_z[BLOCK];         /* information */
    double eta_rate[BLOCK], z_rate[BLOCK], rate_rate[BLOCK];
} derivatives;

static void derive(const double *lines, const double *v, int64_t n, int64_t size, const double *w, int64_t rows,
                   derivatives *d) {
    double eta[BLOCK], z[BLOCK], target[BLOCK] = {0}, rate = exp_one(w[2 * size]);
    add_up(lines, n, size, w, rows, eta);
    add_up(lines, n, size, w + size, rows, z);
    memcpy(target, v, (size_t)rows * sizeof(double));
    for (int64_t i = 0; i < rows; i += WIDTH) {
        lanes slope, rates = rate * soften(load(z + i), &slope) + LEAST, y = load(target + i);
        lanes inverse = 1.0 / rates, mean = load(eta + i) * inverse, ratio = rate * slope * inverse;
        lanes twice = 0.5 + mean * mean * rates;
        lanes by_log = 0.5 - 0.5 * (y - mean) * (y + mean) * rates;
        store(d->to_eta + i, y - mean);
        store(d->to_z + i, by_log * ratio);
        store(d->to_rate + i, by_log);
        store(d->eta_eta + i, inverse);
        store(d->eta_z + i, -mean * ratio);
        store(d->z_z + i, twice * ratio * ratio);
        store(d->eta_rate + i, -mean);
        store(d->z_rate + i, twice * ratio);
        store(d->rate_rate + i, twice);
    }
}

/* Slopes of the log-likelihood by all coefficients, and the lower triangle of Fisher's information. */
EXPORT void natural_derivatives(const double *lines, const double *v, int64_t n, int64_t size, const double *w,
                                double *slope, double *information) {
    derivatives d;
    double a[BLOCK], b[BLOCK], c[BLOCK], out[3];
    int64_t last = 2 * size, count = last + 1;
    double *by_rate = information + last * count;
    memset(slope, 0, (size_t)count * sizeof(double));
    memset(information, 0, (size_t)(count * count) * sizeof(double));
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t rows = n - first < BLOCK ? n - first : BLOCK;
        derive(lines + first, v + first, n, size, w, rows, &d);
        slope[last] += total(d.to_rate, rows);
        by_rate[last] += total(d.rate_rate, rows);
        for (int64_t j = 0; j < size; j++) {
            const double *line = lines + j * n + first;
            double *first_sum = information + j * count, *second_sum = first_sum + size * count;
            dot3(d.to_eta, d.to_z, d.eta_rate, line, rows, out);
            slope[j] += out[0], slope[size + j] += out[1];
            by_rate[j] += out[2];
            by_rate[size + j] += dot(d.z_rate, line, rows);
            for (int64_t i = 0; i < rows; i++) {
                a[i] = d.eta_eta[i] * line[i];
                b[i] = d.eta_z[i] * line[i];
                c[i] = d.z_z[i] * line[i];
            }
            for (int64_t k = 0; k <= j; k++) {
                dot3(a, b, c, lines + k * n + first, rows, out);
                first_sum[k] += out[0];
                second_sum[k] += out[1];
                if (k < j) information[(size + k) * count + j] += out[1];
                second_sum[size + k] += out[2];
            }
        }
    }
}

static double penalise(const double *prior, const double *w, int64_t count) {
    double sum = 0.0;
    for (int64_t j = 0; j < count; j++) sum += prior[j] * w[j] * w[j];
    return 0.5 * sum;
}

/* The triangle with another diagonal, as `cholesky` has it. */
static void damp(const double *information, const double *prior, double share, int64_t count, double *band) {
    for (int64_t i = 0; i < count; i++) {
        double *row = band + (i + 1) * count - 1 - i;
        memcpy(row, information + i * count, (size_t)i * sizeof(double));
        row[i] = information[i * count + i] * (1.0 + share) + prior[i];
    }
}

/* One step from w: of Fisher's scoring, damped as Levenberg and Marquardt do until it gains what it promises. False,
   and w as it was, once a step promises less than `gain` nats. `state` is the penalised log-likelihood and the damping;
   `scratch` holds 3 count (count + 1) numbers, count = 2 size + 1. */
EXPORT bool natural_step(const double *lines, const double *v, int64_t n, int64_t size, const double *prior,
                         double gain, double *w, double *state, double *scratch) {
    int64_t count = 2 * size + 1;
    double *slope = scratch, *step = slope + count, *to = step + count;
    double *information = to + count, *band = information + count * count, *factor = band + count * count;
    natural_derivatives(lines, v, n, size, w, slope, information);
    for (int64_t j = 0; j < count; j++) slope[j] -= prior[j] * w[j];
    memset(band, 0, (size_t)(count * count) * sizeof(double));
    for (int tried = 0; tried < TRIES; tried++) {
        damp(information, prior, state[1], count, band);
        if (cholesky(band, count, count, factor)) {
            memcpy(step, slope, (size_t)count * sizeof(double));
            solve(factor, count, count, step);
            double promise = dot(slope, step, count);
            if (!(promise >= (state[1] > STRONG ? 0.1 : 1.0) * gain)) return false;
            for (int64_t j = 0; j < count; j++) to[j] = w[j] + step[j];
            double there = natural_measure(lines, v, n, size, to) - penalise(prior, to, count);
            if (there >= state[0] + SHARE * promise) {
                if (there > state[0] + GOOD * promise) state[1] *= LESS;
                state[1] = state[1] > SMALLEST ? state[1] : SMALLEST;
                state[0] = there;
                memcpy(w, to, (size_t)count * sizeof(double));
                return true;
            }
        }
        state[1] = MORE * state[1] > FIRST ? MORE * state[1] : FIRST;
    }
    return false;
}
