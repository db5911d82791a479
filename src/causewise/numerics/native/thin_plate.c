/* Sweeps and the search of the thin plate spline; see methods/baselines/cam.py. */

#include "lanes.h"

#define STEP 0.1
#define TOLERANCE 1e-13
#define SPAN 46.0 /* e^+-46 = 1e+-20: beyond it the fit is unpenalised, or penalised out of existence, to rounding */

/* The moments m_p = sum_j |u_i - u_j|^p v_j of the values passed so far. */
typedef struct {
    double m0, m1, m2, m3;
} moments;

/* On by a distance d, by the binomial theorem; plain prefix sums of u^p v would cancel. */
INLINE void move(moments *m, double d) {
    m->m3 += d * (3.0 * m->m2 + d * (3.0 * m->m1 + d * m->m0));
    m->m2 += d * (2.0 * m->m1 + d * m->m0);
    m->m1 += d * m->m0;
}

EXPORT void cubic_distance_product(const double *u, const double *v, int64_t n, double *restrict out) {
    moments up = {0}, down = {0};
    for (int64_t i = 0; i < n; i++) {
        if (i > 0) move(&up, u[i] - u[i - 1]);
        out[i] = up.m3;
        up.m0 += v[i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        if (i < n - 1) move(&down, u[i + 1] - u[i]);
        out[i] += down.m3;
        down.m0 += v[i];
    }
}

/* A penalty's eigenvalues d, the target's coefficients b in its eigenvectors, what the design leaves, the rows. */
typedef struct {
    const double *d, *b;
    int64_t size;
    double rss0, n;
} problem;

/* n RSS / (n - edf)^2 */
static double gcv(double log_lambda, const problem *p) {
    double rss = p->rss0, edf = 0.0, factor = exp_one(log_lambda);
    for (int64_t j = 0; j < p->size; j++) {
        double t = factor * p->d[j], r = t / (1.0 + t) * p->b[j];
        rss += r * r;
        edf += 1.0 / (1.0 + t);
    }
    return p->n * rss / ((p->n - edf) * (p->n - edf));
}

/* Derivative of log GCV in log lambda, up to the positive factor RSS (n - edf) / 2. */
static double gcv_slope(double log_lambda, const problem *p) {
    double rss = p->rss0, edf = 0.0, rss_slope = 0.0, edf_slope = 0.0, factor = exp_one(log_lambda);
    for (int64_t j = 0; j < p->size; j++) {
        double kept = 1.0 / (1.0 + factor * p->d[j]), lost = factor * p->d[j] * kept;
        double square = lost * p->b[j] * (lost * p->b[j]);
        rss += square;
        edf += kept;
        rss_slope += kept * square;
        edf_slope += kept * lost;
    }
    return rss_slope * (p->n - edf) - edf_slope * rss;
}

/* Walk downhill from `start` to the nearest local minimum of GCV in log lambda, then halve the interval by its slope.
   GCV may have several minima; mgcv's Newton iteration ends in the one below its starting value, so ours must too. */
EXPORT double nearest_minimum(double start, const double *d, const double *b, int64_t size, double rss0, double n) {
    problem p = {d, b, size, rss0, n};
    double here = gcv(start, &p), step = gcv(start + STEP, &p) < gcv(start - STEP, &p) ? STEP : -STEP, middle = start;
    while (fabs(middle - start) < SPAN) {
        double ahead = gcv(middle + step, &p);
        if (!(ahead < here)) break;
        middle += step;
        here = ahead;
    }
    /* By its slope, since values alone, as in golden sections, place a minimum to half the digits only. */
    double low = middle - STEP, high = middle + STEP;
    while (high - low > TOLERANCE) {
        middle = 0.5 * (low + high);
        if (!(low < middle && middle < high)) break; /* far from zero no number lies between */
        if (gcv_slope(middle, &p) < 0.0)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}
