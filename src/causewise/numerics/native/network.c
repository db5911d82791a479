/* Training of a network on the CPU: forward pass, backward pass and Adam. The layout of the parameters and the three
   laws are those of models/network/heads.py, Adam is that of training.py, and the names are those used there.

   The activations of a block of rows stay in cache, and loops run over the rows of a block: those are the vector lanes.
   The passes are written once, in network.h, for both precisions. What concerns rows and outputs alone is here, in
   double precision whatever the arrays have: it is a hundredth of the work, and the loss is compared between steps. */

#include "lanes.h"

#define BETA_1 0.9
#define BETA_2 0.999
#define EPSILON 1e-8
#define HALF_LOG_2PI 0x1.d67f1c864beb4p-1
#define MOST_OUTPUTS 3
#define MOST_ROWS 128
#define SHIFT 8 /* how far log_gamma_step moves its argument up before it uses the asymptotic series */

enum { LOCATION_SCALE, ADDITIVE, STUDENT };

/* What models/network/fitting.py lays out: the shape of a fit, and where its training stands. */
enum { HEAD, OUTPUTS, HIDDEN, INPUTS, ROWS, FREE_SCALES };
enum { BEST, STEP, DIVERGED, SUMS };

typedef double rows_of[MOST_ROWS]; /* one number for each row of a block */

/* exp, held constant beyond 2^1000 and 2^-1000: neither zero nor infinite. */
static void held_exp(int rows, const double *x, double *restrict out) {
    const double limit = 0x1.5a92d6d005c93p9;
    for (int r = 0; r < rows; r++) {
        double y = x[r] < -limit ? -limit : x[r];
        out[r] = y > limit ? limit : y;
    }
    exp_many(out, out, rows);
}

/* Normal law with natural parameters e and -p; derivatives in e and log 2p. */
static void location_scale_rows(int rows, const double *restrict e, const double *restrict log_2p,
                                const double *restrict v, double *restrict value, double *restrict to_e,
                                double *restrict to_log_2p) {
    rows_of exp_log_2p;
    held_exp(rows, log_2p, exp_log_2p);
    for (int r = 0; r < rows; r++) {
        double p = 0.5 * exp_log_2p[r], mean = e[r] / (2.0 * p);
        value[r] = -(e[r] * v[r] - p * v[r] * v[r] - e[r] * e[r] / (4.0 * p) + 0.5 * log_2p[r] - HALF_LOG_2PI);
        to_e[r] = mean - v[r];
        to_log_2p[r] = p * (v[r] * v[r] - mean * mean) - 0.5;
    }
}

/* Normal law of unit scale; derivative in its mean. */
static void additive_rows(int rows, const double *restrict mean, const double *restrict v, double *restrict value,
                          double *restrict to_mean) {
    for (int r = 0; r < rows; r++) {
        value[r] = HALF_LOG_2PI + 0.5 * (v[r] - mean[r]) * (v[r] - mean[r]);
        to_mean[r] = mean[r] - v[r];
    }
}

/* log Gamma(alpha + 1/2) - log Gamma(alpha) and its derivative; the series is derived in heads.py. */
static void log_gamma_step(int rows, const double *restrict alpha, double *restrict step, double *restrict slope) {
    rows_of ratio, y;
    for (int r = 0; r < rows; r++) {
        ratio[r] = (alpha[r] + 0.5) / alpha[r];
        slope[r] = 1.0 / alpha[r] - 1.0 / (alpha[r] + 0.5);
    }
    for (int i = 1; i < SHIFT; i++)
        for (int r = 0; r < rows; r++) {
            double low = alpha[r] + i, high = low + 0.5;
            ratio[r] = ratio[r] * high / low;
            slope[r] = slope[r] + 0.5 / (low * high);
        }
    for (int r = 0; r < rows; r++) y[r] = 1.0 / (alpha[r] + SHIFT);
    log_many(ratio, ratio, rows);
    log_many(y, step, rows);
    for (int r = 0; r < rows; r++) {
        double z = y[r] * y[r];
        double tail = -31.0 / 18432 + z * (691.0 / 180224);
        tail = 1.0 / 192 + z * (-1.0 / 640 + z * (17.0 / 14336 + z * tail));
        tail = y[r] * (-1.0 / 8 + z * tail);
        double tail_slope = -17.0 / 2048 + z * (31.0 / 2048 + z * (-691.0 / 16384));
        tail_slope = z * (1.0 / 8 + z * (-1.0 / 64 + z * (1.0 / 128 + z * tail_slope)));
        step[r] = tail - 0.5 * step[r] - ratio[r];
        slope[r] = tail_slope + 0.5 * y[r] + slope[r];
    }
}

/* Student's t with 2 alpha degrees of freedom and squared scale beta / alpha; derivatives in its location m,
   log(alpha - 1) and log beta. */
static void student_rows(int rows, const double *restrict m, const double *restrict log_excess,
                         const double *restrict log_beta, const double *restrict v, double penalty,
                         double *restrict value, double *restrict to_m, double *restrict to_excess,
                         double *restrict to_beta) {
    rows_of excess, beta, alpha, step, step_slope, q, log_q;
    held_exp(rows, log_excess, excess);
    held_exp(rows, log_beta, beta);
    for (int r = 0; r < rows; r++) {
        alpha[r] = 1.0 + excess[r];
        q[r] = (v[r] - m[r]) * (v[r] - m[r]) / (2.0 * beta[r]);
        log_q[r] = 1.0 + q[r];
    }
    log_gamma_step(rows, alpha, step, step_slope);
    log_many(log_q, log_q, rows);
    for (int r = 0; r < rows; r++) {
        double inflation = alpha[r] / excess[r], pull = (alpha[r] + 0.5) / (1.0 + q[r]);
        value[r] = HALF_LOG_2PI + 0.5 * log_beta[r] + (alpha[r] + 0.5) * log_q[r] - step[r] +
                   penalty * inflation * inflation;
        to_m[r] = -pull * (v[r] - m[r]) / beta[r];
        to_excess[r] = excess[r] * (log_q[r] - step_slope[r]) - 2.0 * penalty * inflation / excess[r];
        to_beta[r] = 0.5 - pull * q[r];
    }
}

/* Weighted loss of a block, from its outputs `o` before they are multiplied by their scalars `scale`. Leaves the
   derivative in `o` in `d`, and adds the derivatives in offsets and scalars to `tail`. */
static double head_rows(int head, int outputs, int rows, const double *scale, const rows_of *o, const double *v,
                        const double *weight, double penalty, rows_of *d, double *tail) {
    rows_of out[MOST_OUTPUTS], value;
    for (int k = 0; k < outputs; k++)
        for (int r = 0; r < rows; r++) out[k][r] = scale[k] * o[k][r];
    if (head == LOCATION_SCALE)
        location_scale_rows(rows, out[0], out[1], v, value, d[0], d[1]);
    else if (head == ADDITIVE)
        additive_rows(rows, out[0], v, value, d[0]);
    else
        student_rows(rows, out[0], out[1], out[2], v, penalty, value, d[0], d[1], d[2]);
    for (int k = 0; k < outputs; k++) {
        for (int r = 0; r < rows; r++) d[k][r] *= weight[r];
        tail[outputs + k] += dot(d[k], o[k], rows);
        for (int r = 0; r < rows; r++) d[k][r] *= scale[k];
        tail[k] += total(d[k], rows);
    }
    return dot(weight, value, rows);
}

/* tanh(z) for y = 2 z / log 2, |y| <= MOST_TURNS. With y = k + f, k whole and |f| <= 1/2, exp(2 z) is
   2^k (a + b) / (a - b) where b / a = tanh(f log(2) / 2), here by its rational interpolant at Chebyshev points in f^2,
   and

       tanh(z) = (2^k (a + b) - (a - b)) / (2^k (a + b) + (a - b)).

   Straight-line arithmetic, of which a compiler makes vector instructions: a loop over the C library's takes seven
   times as long. Absolute error below 4e-16 in double and 2e-7 in single precision, exactly odd; no relative accuracy
   near 0, which a sum over a hundred hidden units does not need. Adding 1.5 2^52 (1.5 2^23) rounds to a whole number
   and leaves it in the low bits of the sum. */
#define MOST_TURNS_double 1000.0
#define MOST_TURNS_single 120.0f
#define TURNS 0x1.71547652b82fep1 /* 2 / log 2 */

INLINE double tanh_double(double y) {
    double shifted = y + 0x1.8p52, f = y - (shifted - 0x1.8p52), f2 = f * f;
    double a = (f2 + 0x1.d25b13344a68fp7) * f2 + 0x1.11014d9b457cbp12;
    double b = f * ((0x1.7a60d80b05de8p-6 * f2 + 0x1.433a1344ffc1ep4) * f2 + 0x1.7a772598a054ap10);
    uint64_t bits;
    double power;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&power, &bits, sizeof power);
    double up = power * (a + b), down = a - b;
    return (up - down) / (up + down);
}

INLINE float tanh_single(float y) {
    float shifted = y + 0x1.8p23f, f = y - (shifted - 0x1.8p23f), f2 = f * f;
    float a = f2 + 0x1.4d1742p4f, b = f * (0x1.d8ae4p-5f * f2 + 0x1.cdc31p2f);
    uint32_t bits;
    float power;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23;
    memcpy(&power, &bits, sizeof power);
    float up = power * (a + b), down = a - b;
    return (up - down) / (up + down);
}

#define real double
#define NAME(function) function##_double
#include "network.h"
#undef real
#undef NAME
#define real float
#define NAME(function) function##_single
#include "network.h"
