/* Sums, exponentials and logarithms that have the same bits on every machine.

   A sum over rows is kept in eight partial sums, added up at the end in one fixed order. Whether a processor adds two,
   four or eight of them in one instruction then changes no bit of the result. The compiler is forbidden to fuse a
   multiplication with an addition (-ffp-contract=off), which some processors can and others cannot; loops without a
   sum it may turn into vector instructions as it likes, since each entry is computed alone.

   exp and log are here for the same reason, and because a loop over the C library's takes five times as long: that
   one has several versions as well, chosen by the processor it finds. */

#ifndef CAUSEWISE_LANES_H
#define CAUSEWISE_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define INLINE static inline __attribute__((always_inline, unused))

/* As many doubles as one instruction takes. */
#if defined(__AVX__)
#define WIDTH 4
#else
#define WIDTH 2
#endif
#define PARTS (8 / WIDTH)

typedef double lanes __attribute__((vector_size(8 * WIDTH)));
typedef int64_t whole __attribute__((vector_size(8 * WIDTH))); /* also what a comparison gives: all bits set, or none */
typedef uint64_t natural __attribute__((vector_size(8 * WIDTH)));
typedef double loose __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias)); /* at any address of a double */

INLINE lanes all(double x) { return x - (lanes){0}; }
INLINE lanes load(const double *x) { return *(const loose *)x; }
INLINE void store(double *x, lanes v) { *(loose *)x = v; }
INLINE lanes choose(whole where, lanes yes, lanes no) { return (lanes)((where & (whole)yes) | (~where & (whole)no)); }

/* Eight partial sums. */
typedef struct {
    lanes part[PARTS];
} eight;

INLINE double sum(const eight *s) {
    double v[8];
    for (int p = 0; p < PARTS; p++) store(v + p * WIDTH, s->part[p]);
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

INLINE double dot(const double *a, const double *b, int64_t n) {
    eight ab = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int p = 0; p < PARTS; p++) ab.part[p] += load(a + i + p * WIDTH) * load(b + i + p * WIDTH);
    double rest = 0.0;
    for (; i < n; i++) rest += a[i] * b[i];
    return sum(&ab) + rest;
}

/* Three at once, which share one reading of y. */
INLINE void dot3(const double *a, const double *b, const double *c, const double *y, int64_t n, double *out) {
    eight ay = {0}, by = {0}, cy = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int p = 0; p < PARTS; p++) {
            int64_t at = i + p * WIDTH;
            lanes z = load(y + at);
            ay.part[p] += load(a + at) * z;
            by.part[p] += load(b + at) * z;
            cy.part[p] += load(c + at) * z;
        }
    double to_a = 0.0, to_b = 0.0, to_c = 0.0;
    for (; i < n; i++) {
        to_a += a[i] * y[i];
        to_b += b[i] * y[i];
        to_c += c[i] * y[i];
    }
    out[0] = sum(&ay) + to_a, out[1] = sum(&by) + to_b, out[2] = sum(&cy) + to_c;
}

INLINE double total(const double *a, int64_t n) {
    eight parts = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int p = 0; p < PARTS; p++) parts.part[p] += load(a + i + p * WIDTH);
    double rest = 0.0;
    for (; i < n; i++) rest += a[i];
    return sum(&parts) + rest;
}

/* The largest entry; none may be NaN, and there must be one. */
INLINE double largest(const double *a, int64_t n) {
    lanes most = all(a[0]);
    int64_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH) {
        lanes x = load(a + i);
        most = choose(x > most, x, most);
    }
    double found = a[0];
    for (int l = 0; l < WIDTH; l++) found = most[l] > found ? most[l] : found;
    for (; i < n; i++) found = a[i] > found ? a[i] : found;
    return found;
}

/* exp(x) = 2^k exp(r), k = round(x / log 2) and |r| <= log(2) / 2, by the Taylor series of degree 13, whose first
   term left out is below 1e-17; error below one unit in the last place. Below -708 the result is 0, above 709.7 it is
   infinite. */
INLINE lanes exp_lanes(lanes x) {
    const double round_to_whole = 0x1.8p52; /* leaves the whole number in the low bits of the sum */
    lanes y = choose(x < -708.0, all(-708.0), x);
    y = choose(y > 709.0, all(709.0), y);
    lanes shifted = y * 0x1.71547652b82fep0 + round_to_whole;
    lanes k = shifted - round_to_whole;
    lanes r = (y - k * 0x1.62e42fefap-1) - k * 0x1.cf79abc9e3b3ap-40; /* log 2 in two parts, the first exact times k */
    lanes r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    lanes a = (1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
    lanes b = (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
    lanes c = (1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600 + r * (1.0 / 6227020800));
    lanes series = 1.0 + (r + r2 * (a + r4 * b + r8 * c));
    lanes power = (lanes)(((whole)shifted + 1023) << 52);
    lanes result = series * power;
    result = choose(x < -708.0, all(0.0), result);
    result = choose(x > 709.0, all(INFINITY), result);
    return choose(x != x, x, result);
}

/* log(x) = k log 2 + log m with m in [sqrt(1/2), sqrt(2)): with f = m - 1 and s = f / (2 + f), log m is
   f - (f^2/2 - s (f^2/2 + R(s^2))), R the rest of the series of the inverse hyperbolic tangent, here by the minimax
   polynomial of fdlibm (Sun Microsystems 1993); error below one unit in the last place for normal numbers. Numbers
   below 2.3e-308 count as that number. */
INLINE lanes log_lanes(lanes x) {
    lanes y = choose(x < 0x1p-1022, all(0x1p-1022), x);
    whole bits = (whole)y;
    /* The exponent plus 1024, counted as one more from sqrt(1/2) upwards; it becomes a double by its place in the bits. */
    whole k = (whole)((natural)(bits - 0x3fe6a09e667f3bcd + (1024LL << 52)) >> 52);
    lanes m = (lanes)(bits - ((k - 1024) << 52));
    lanes power = (lanes)(k + 0x4338000000000000) - (0x1.8p52 + 1024.0);
    lanes f = m - 1.0;
    lanes s = f / (2.0 + f);
    lanes z = s * s, w = z * z;
    lanes odd = w * (0x1.999999997fa04p-2 + w * (0x1.c71c51d8e78afp-3 + w * 0x1.39a09d078c69fp-3));
    lanes even = z * (0x1.5555555555593p-1 +
                      w * (0x1.2492494229359p-2 + w * (0x1.7466496cb03dep-3 + w * 0x1.2f112df3e5244p-3)));
    lanes half = 0.5 * f * f;
    lanes result = power * 0x1.62e42feep-1 - ((half - (s * (half + (odd + even)) + power * 0x1.a39ef35793c76p-33)) - f);
    result = choose(x == 0.0, all(-INFINITY), result);
    result = choose(x < 0.0, all(NAN), result);
    result = choose(x > 0x1.fffffffffffffp1023, x, result);
    return choose(x != x, x, result);
}

/* Both for a whole column; `x` and `out` may be the same. */
#define MAPPED(name, function)                                     \
    INLINE void name(const double *x, double *out, int64_t n) {    \
        int64_t i = 0;                                             \
        for (; i + WIDTH <= n; i += WIDTH) store(out + i, function(load(x + i))); \
        if (i < n) {                                               \
            double rest[WIDTH] = {0};                              \
            for (int64_t k = i; k < n; k++) rest[k - i] = x[k];    \
            store(rest, function(load(rest)));                     \
            for (int64_t k = i; k < n; k++) out[k] = rest[k - i];  \
        }                                                          \
    }
MAPPED(exp_many, exp_lanes)
MAPPED(log_many, log_lanes)

INLINE double exp_one(double x) { return exp_lanes(all(x))[0]; }
INLINE double log_one(double x) { return log_lanes(all(x))[0]; }

#endif
