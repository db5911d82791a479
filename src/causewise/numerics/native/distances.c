/* Counting and listing the distances between all pairs of a sorted column; see numerics/kernel.py. */

#include "lanes.h"

#define STREAMS 8

/* The first i with s[j] - s[i] <= t grows with j. A sweep goes from (i, j) = (0, 0) to j = n, a step each for i or
   for j; this is the i after the first `steps` of them. Rounded subtraction is monotone, so all of it is exact. */
static int64_t after(const double *s, int64_t n, double t, int64_t steps) {
    int64_t low = steps > n ? steps - n : 0, high = steps / 2;
    while (low < high) {
        int64_t i = low + (high - low) / 2;
        if (s[steps - 1 - i] - s[i] > t)
            low = i + 1;
        else
            high = i;
    }
    return low;
}

/* How many pairs have a distance of at most t, t >= 0; where `found` is given, it gets the distances above t and up to
   `high`, in any order, and must have room for them. */
INLINE int64_t sweep(const double *s, int64_t n, double t, double high, double *found) {
    /* One step waits for the one before, and a branch on it would be guessed wrong every other time; so the sweep is
       cut into equal parts that are taken side by side. */
    int64_t i[STREAMS], count = 0, low = 0, end = n;
    while (low < end) { /* where the sweep ends: the first i with s[n - 1] - s[i] <= t */
        int64_t middle = low + (end - low) / 2;
        if (s[n - 1] - s[middle] > t)
            low = middle + 1;
        else
            end = middle;
    }
    int64_t steps = n + low, each = steps / STREAMS, rest = steps % STREAMS;
    for (int q = 0; q < STREAMS; q++) i[q] = after(s, n, t, q * each);
    for (int64_t step = 0; step < each + rest; step++)
        for (int q = step < each ? 0 : STREAMS - 1; q < STREAMS; q++) {
            int64_t at = i[q], j = q * each + step - at;
            int64_t far = s[j] - s[at] > t;
            count += (j - at) & (far - 1);
            i[q] = at + far;
            if (found && ((far == 0) & (at > 0) & (s[j] - s[at - (at > 0)] <= high)))
                for (int64_t k = at - 1; k >= 0 && s[j] - s[k] <= high; k--) *found++ = s[j] - s[k];
        }
    return count;
}

EXPORT int64_t pairs_within(const double *s, int64_t n, double t) { return sweep(s, n, t, t, NULL); }

/* The distances d with low < d <= high; there must be room for them all. */
EXPORT void distances_between(const double *s, int64_t n, double low, double high, double *found) {
    sweep(s, n, low, high, found);
}

/* The smallest distance above t; infinite if there is none. */
EXPORT double next_distance(const double *s, int64_t n, double t) {
    double best = INFINITY;
    for (int64_t j = 0, i = 0; j < n; j++) {
        while (s[j] - s[i] > t) i++;
        if (i > 0 && s[j] - s[i - 1] < best) best = s[j] - s[i - 1];
    }
    return best;
}

/* Narrow the bracket low < d <= high of the k-th smallest distance d, k from 1, given how many distances are at most
   low and at most high; true once no more than `few` are left between, or once low = high = d. At most `rounds` of up
   to three sweeps, and to be called again if false. */
EXPORT bool narrow_bracket(const double *s, int64_t n, int64_t k, int64_t few, int64_t rounds, double *bracket,
                           int64_t *count) {
    /* The count of pairs is a smooth function of the distance for most columns, so the two sides of a linear guess
       are probed first; a plain bisection follows whenever that did not halve the bracket, as with heavily tied
       columns. */
    for (; count[1] - count[0] > few; rounds--) {
        if (rounds == 0) return false;
        double width = bracket[1] - bracket[0], between = (double)(count[1] - count[0]);
        double guess = bracket[0] + width * ((double)(k - count[0]) - 0.5) / between;
        double margin = 0.1 * width * (double)n / between;
        for (int probe = 0; probe < 3; probe++) {
            double t = probe == 0 ? guess - margin : guess + margin;
            if (probe == 2) {
                if (bracket[1] - bracket[0] <= 0.5 * width) break;
                t = 0.5 * (bracket[0] + bracket[1]);
                if (t <= bracket[0] || t >= bracket[1]) {
                    bracket[0] = bracket[1];
                    return true;
                }
            }
            if (!(bracket[0] < t && t < bracket[1])) continue;
            int64_t pairs = pairs_within(s, n, t), side = pairs >= k;
            bracket[side] = t;
            count[side] = pairs;
        }
    }
    return true;
}
