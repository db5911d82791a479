/* Sums over rows that enter through Chebyshev polynomials of their place in a box, and the kernel sums of the points
   that stand in for them; see numerics/kernel.py and hsic.py. */

#include "lanes.h"

#define TERMS 8
#define SUMS (2 * TERMS)
#define NODES 12
#define PIECE 64

/* T_0 ... T_15 of x. From the fourth on T_{k+4} = 2 T_4 T_k - T_{|k-4|}: four at a time. */
INLINE void polynomials(double x, double *t, int count) {
    double twice = 2.0 * x;
    t[0] = 1.0, t[1] = x, t[2] = twice * x - 1.0, t[3] = twice * t[2] - x;
    double fourth = 2.0 * (2.0 * t[2] * t[2] - 1.0);
    for (int k = 0; k < 4; k++) t[k + 4] = fourth * t[k] - (k == 0 ? 0.5 * fourth : t[4 - k]);
    for (int k = 8; k < count; k++) t[k] = fourth * t[k - 4] - t[k - 8];
}

/* Per box the sums of T_0 ... T_15 of its rows' places, added to `sums` (boxes x 16). */
EXPORT void chebyshev_sums(const int64_t *box, const double *place, int64_t n, double *sums) {
    for (int64_t i = 0; i < n; i++) {
        double t[SUMS], *to = sums + box[i] * SUMS;
        polynomials(place[i], t, SUMS);
        for (int k = 0; k < SUMS; k++) to[k] += t[k];
    }
}

/* Whole number of the cell at `at` widths from the middle; on the border of two it is the outer one. */
INLINE double cell_of(double at, double outwards) { return floor(at + (at > 0.0 ? 0.5 + outwards : 0.5 - outwards)); }

/* The points that stand in for a sorted column, in ascending order, and their weights. A cell with no more rows than
   nodes keeps its rows. Returns how many points there are, at most n. */
EXPORT int64_t weighted_nodes(const double *s, int64_t n, double middle, double width, double outwards,
                              const double *nodes, const double *transform, double *points, double *weights) {
    int64_t count = 0;
    for (int64_t from = 0, to; from < n; from = to) {
        double cell = cell_of((s[from] - middle) / width, outwards), t[SUMS], sums[SUMS] = {0};
        for (to = from; to < n; to++) {
            double at = (s[to] - middle) / width;
            if (to > from && cell_of(at, outwards) != cell) break;
            polynomials(2.0 * (at - cell), t, SUMS);
            for (int k = 0; k < SUMS; k++) sums[k] += t[k];
        }
        bool kept = to - from <= NODES;
        for (int64_t i = 0; i < (kept ? to - from : NODES); i++, count++) {
            points[count] = kept ? s[from + i] : middle + width * (cell + 0.5 * nodes[i]);
            weights[count] = kept;
            for (int k = 0; k < NODES && !kept; k++) weights[count] += sums[k] * transform[k * NODES + i];
        }
    }
    return count;
}

/* Per box of a the sum over its rows of T(place_a) F_b', added to `inner` (boxes of a x terms x rank). The rows come
   in the given order; those in the same boxes of a and b must follow each other. */
EXPORT void cross_sums(const int64_t *order, int64_t n, const int64_t *box_a, const double *place_a,
                       const int64_t *box_b, const double *place_b, const double *coefficients_b, int64_t rank,
                       double *inner) {
    for (int64_t at = 0; at < n;) {
        int64_t a = box_a[order[at]], b = box_b[order[at]];
        double joint[TERMS * TERMS] = {0}, t[TERMS], u[TERMS];
        for (; at < n && box_a[order[at]] == a && box_b[order[at]] == b; at++) {
            polynomials(place_a[order[at]], t, TERMS);
            polynomials(place_b[order[at]], u, TERMS);
            for (int p = 0; p < TERMS; p++)
                for (int q = 0; q < TERMS; q++) joint[p * TERMS + q] += t[p] * u[q];
        }
        const double *restrict c = coefficients_b + b * TERMS * rank;
        for (int p = 0; p < TERMS; p++) {
            const double *j = joint + p * TERMS;
            double *restrict to = inner + (a * TERMS + p) * rank;
            for (int64_t r = 0; r < rank; r++)
                to[r] += ((j[0] * c[r] + j[1] * c[rank + r]) + (j[2] * c[2 * rank + r] + j[3] * c[3 * rank + r])) +
                         ((j[4] * c[4 * rank + r] + j[5] * c[5 * rank + r]) +
                          (j[6] * c[6 * rank + r] + j[7] * c[7 * rank + r]));
        }
    }
}

/* K w, (K o K) w and w' (K o K o K) w of K = exp(-(p - q)^2) for points in ascending order, an exponent beyond `far`
   counting as none. The first two are added to; the third is returned. */
EXPORT double kernel_sums(const double *points, const double *weights, int64_t n, double far, double *first,
                          double *second) {
    double k[PIECE], k2[PIECE], k3[PIECE], along[3], third = 0.0;
    for (int64_t a = 0, end = 0; a < n; a++) {
        double here = points[a], weight = weights[a], sums[3] = {weight, weight, weight};
        while (end < n && (points[end] - here) * (points[end] - here) <= far) end++;
        for (int64_t b = a + 1; b < end; b += PIECE) {
            int64_t rows = end - b < PIECE ? end - b : PIECE;
            for (int64_t i = 0; i < rows; i++) k[i] = -(points[b + i] - here) * (points[b + i] - here);
            exp_many(k, k, rows);
            for (int64_t i = 0; i < rows; i++) {
                k2[i] = k[i] * k[i];
                k3[i] = 2.0 * k[i] * k2[i];
                first[b + i] += k[i] * weight;
                second[b + i] += k2[i] * weight;
            }
            dot3(k, k2, k3, weights + b, rows, along);
            for (int s = 0; s < 3; s++) sums[s] += along[s];
        }
        first[a] += sums[0];
        second[a] += sums[1];
        third += weight * sums[2];
    }
    return third;
}
