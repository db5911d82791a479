/* The concave location-scale fit: the derivation is in numerics/gaussian.py, and the names are those used there.

   Both passes over the rows go run by run through a scratch of that length: no array of n is written. */

#include "design.h"
#include "linear.h"

#define HALF_LOG_2PI 0x1.d67f1c864beb4p-1
#define SMALLEST_SCALING 1e-3
#define NEAR_ZERO 1e-4
#define ROUNDING 1e-13
#define POLISH 3
#define ACTIVE_SETS 12 /* systems solved for one step at most; two or three are usual */

/* F(w); infinite where a row that counts has no positive precision. */
static double objective(const design *d, const double *v, const double *s, double delta, const double *w,
                        int64_t size) {
    double e[LONGEST_RUN], p[LONGEST_RUN], density[LONGEST_RUN];
    double value = 0.5 * delta * dot(w, w, size);
    for (int64_t r = 0; r < d->runs; r++) {
        run here = run_of(d, r);
        const double *effect = v + here.first, *weight = s + here.first;
        predict_run(&here, d->touched, w, e, p);
        int outside = 0;
        for (int64_t i = 0; i < here.rows; i++) {
            outside |= weight[i] > 0.0 && !(p[i] > 0.0);
            p[i] = weight[i] > 0.0 ? 2.0 * p[i] : 1.0;
        }
        if (outside) return INFINITY;
        log_many(p, density, here.rows);
        for (int64_t i = 0; i < here.rows; i++)
            density[i] = e[i] * effect[i] - 0.5 * (p[i] * effect[i] * effect[i] + e[i] * e[i] / p[i] - density[i]) -
                         HALF_LOG_2PI;
        value -= dot(weight, density, here.rows);
    }
    return value;
}

/* First and second derivatives of -s log density in (e, p) for one run; see numerics/gaussian.py. */
static void row_derivatives(int64_t rows, const double *e, const double *p, const double *v, const double *s,
                            double *ge, double *gp, double *hee, double *hep, double *hpp) {
    for (int64_t i = 0; i < rows; i++) {
        bool counts = s[i] > 0.0;
        double weight = counts ? s[i] : 0.0;
        double var = 1.0 / (2.0 * (counts ? p[i] : 1.0)), mean = e[i] * var;
        ge[i] = weight * (mean - v[i]);
        gp[i] = weight * ((v[i] - mean) * (v[i] + mean) - var);
        hee[i] = weight * var;
        hep[i] = weight * (-2.0 * mean * var);
        hpp[i] = weight * (4.0 * mean * mean * var + 2.0 * var * var);
    }
}

/* Gradient and Hessian of F. */
static void derivatives(const design *d, const double *v, const double *s, double delta, const double *w, int64_t size,
                        int64_t width, double *gradient, double *band) {
    double e[LONGEST_RUN], p[LONGEST_RUN], ge[LONGEST_RUN], gp[LONGEST_RUN];
    double hee[LONGEST_RUN], hep[LONGEST_RUN], hpp[LONGEST_RUN];
    memset(band, 0, (size_t)(size * width) * sizeof(double));
    for (int64_t j = 0; j < size; j++) {
        gradient[j] = delta * w[j];
        band[j * width + width - 1] = delta;
    }
    for (int64_t r = 0; r < d->runs; r++) {
        run here = run_of(d, r);
        predict_run(&here, d->touched, w, e, p);
        row_derivatives(here.rows, e, p, v + here.first, s + here.first, ge, gp, hee, hep, hpp);
        scatter_run(&here, d->touched, ge, gp, gradient);
        band_run(&here, d->touched, hee, hep, hpp, width, band);
    }
}

static double certificate(int64_t size, const double *w, const double *gradient) {
    double worst = 0.0;
    for (int64_t j = 0; j < size; j++) {
        double slope = fabs(gradient[j]);
        if (j % 2 == 1) slope = w[j] > 0.0 || gradient[j] < 0.0 ? slope * fmax(w[j], SMALLEST_SCALING) : 0.0;
        worst = slope > worst ? slope : worst;
    }
    return worst;
}

/* Newton's step in the free coefficients, while the held ones go to zero. */
static void held_step(const double *band, int64_t size, int64_t width, const double *gradient, const double *w,
                      const uint8_t *held, double *reduced, double *factor, double *step) {
    int64_t last = width - 1;
    memcpy(reduced, band, (size_t)(size * width) * sizeof(double));
    for (int64_t i = 0; i < size; i++) step[i] = -gradient[i];
    for (int64_t i = 0; i < size; i++) {
        double *row = reduced + i * width + last - i;
        for (int64_t c = i > last ? i - last : 0; c < i; c++) {
            if (!held[i] && !held[c]) continue;
            if (!held[c])
                step[c] += row[c] * w[i];
            else if (!held[i])
                step[i] += row[c] * w[c];
            row[c] = 0.0;
        }
    }
    for (int64_t i = 0; i < size; i++) {
        if (!held[i]) continue;
        reduced[i * width + last] = 1.0;
        step[i] = -w[i];
    }
    if (damped_cholesky(reduced, size, width, factor))
        solve(factor, size, width, step);
    else
        for (int64_t i = 0; i < size; i++) step[i] = NAN;
}

/* Hold what the step would make negative, free what the model's slope would raise; false if nothing changed. */
static bool exchange(const double *band, int64_t size, int64_t width, const double *gradient, const double *w,
                     const double *step, uint8_t *held) {
    int64_t last = width - 1;
    bool changed = false;
    for (int64_t j = 1; j < size; j += 2) {
        bool now = w[j] + step[j] < 0.0;
        if (held[j]) {
            double slope = gradient[j];
            for (int64_t c = j > last ? j - last : 0; c <= j; c++) slope += band[j * width + last + c - j] * step[c];
            for (int64_t i = j + 1; i < size && i < j + width; i++) slope += band[i * width + last + j - i] * step[i];
            now = slope >= 0.0;
        }
        changed = changed || now != (bool)held[j];
        held[j] = now;
    }
    return changed;
}

/* The step to the minimum of the quadratic model of F under w2 >= 0, by primal-dual active sets. */
static void newton_step(const double *band, int64_t size, int64_t width, const double *gradient, const double *w,
                        uint8_t *held, double *reduced, double *factor, double *step) {
    for (int sets = 0; sets < ACTIVE_SETS; sets++) {
        held_step(band, size, width, gradient, w, held, reduced, factor, step);
        if (!exchange(band, size, width, gradient, w, step, held)) return;
    }
    /* The sets run in a circle, which rounding can make them do: Bertsekas' step always descends once projected. */
    for (int64_t j = 1; j < size; j += 2)
        held[j] = gradient[j] > 0.0 && w[j] <= NEAR_ZERO && w[j] * band[j * width + width - 1] <= gradient[j];
    held_step(band, size, width, gradient, w, held, reduced, factor, step);
}

/* Where a descent stands, as numerics/gaussian.py reads it. */
enum { VALUE, KKT, ITERATION, POLISHED, STATE };

/* Newton steps from w, at most `steps` of them; true once the descent has ended, and to be called again if not.
   `gradient`, `band` and the state belong to w on return. `scratch` holds size * (2 width + 2) numbers. */
EXPORT bool newton_advance(const double *values, const int64_t *bounds, const int64_t *index, int64_t runs,
                           int64_t touched, const double *v, const double *s, double delta, double goal,
                           int64_t max_iter, int64_t steps, int64_t size, int64_t width, double *w, uint8_t *held,
                           double *gradient, double *band, double *state, double *scratch) {
    design d = {values, bounds, index, runs, touched};
    double *reduced = scratch, *factor = reduced + size * width, *step = factor + size * width, *trial = step + size;
    if (state[ITERATION] == 0.0) state[VALUE] = objective(&d, v, s, delta, w, size);
    for (; steps > 0; steps--) {
        derivatives(&d, v, s, delta, w, size, width, gradient, band);
        state[KKT] = certificate(size, w, gradient);
        if (state[KKT] <= goal || state[ITERATION] >= (double)max_iter) return true;
        /* A step in the free coefficients alone, projected (Bertsekas 1982), needs no inner loop, but every
           coefficient that it drives through zero cuts it short: 25 iterations of four evaluations each in place of
           ten of one. The inner loop costs O(features), an evaluation O(rows). */
        newton_step(band, size, width, gradient, w, held, reduced, factor, step);
        state[ITERATION] += 1.0;
        bool fell = false;
        double slope = 0.0, value = 0.0;
        for (double length = 1.0; length > 1e-15 && !fell; length *= 0.5) { /* Armijo, on the projected path */
            slope = 0.0;
            for (int64_t j = 0; j < size; j++) {
                double to = w[j] + length * step[j];
                trial[j] = j % 2 == 1 && to < 0.0 ? 0.0 : to;
                slope += (trial[j] - w[j]) * gradient[j];
            }
            value = objective(&d, v, s, delta, trial, size);
            /* A promised gain below rounding cannot be seen in F; there the step's quadratic convergence is trusted. */
            fell = value < state[VALUE] + 1e-4 * slope || (-ROUNDING < slope && slope < 0.0);
        }
        if (!fell || state[POLISHED] > POLISH) return true;
        state[POLISHED] += slope > -ROUNDING;
        state[VALUE] = value;
        memcpy(w, trial, (size_t)size * sizeof(double));
    }
    return false;
}
