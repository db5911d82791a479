/* The upper tail of a weighted sum of chi-squared variables; see numerics/hsic.py. */

#include "lanes.h"

#define PIECE 64
#define BISECTIONS 50

static const double STEP = 0.15, FARTHEST = 40.0, NEGLIGIBLE = 1e-14, PI = 3.141592653589793;

/* K(t) - ty - log t at t = x + i z, z >= 0; K is -degrees/2 times the sum of log(1 - 2 weight t). */
static void exponent(double x, double z, double y, const double *weights, int64_t n, double degrees, double *real,
                     double *imaginary) {
    double norm[PIECE], logs = 0.0, angles = 0.0;
    for (int64_t from = 0; from < n; from += PIECE) {
        int64_t count = n - from < PIECE ? n - from : PIECE;
        for (int64_t k = 0; k < count; k++) {
            double twice = 2.0 * weights[from + k], re = 1.0 - twice * x, im = -twice * z;
            norm[k] = re * re + im * im;
            if (z > 0.0) angles += atan2(im, re);
        }
        log_many(norm, norm, count);
        logs += total(norm, count);
    }
    *real = -0.25 * degrees * logs - x * y - 0.5 * log(x * x + z * z);
    *imaginary = -0.5 * degrees * angles - z * y - atan2(z, x);
}

/* Where K'(t) - y - 1/t, which rises from minus to plus infinity, is zero; by bisection, for any contour near it will
   do. */
static double saddle(double y, const double *weights, int64_t n, double degrees) {
    double slopes[PIECE], low = 0.0, high = 0.5 / largest(weights, n);
    for (int bisection = 0; bisection < BISECTIONS; bisection++) {
        double middle = 0.5 * (low + high), slope = 0.0;
        for (int64_t from = 0; from < n; from += PIECE) {
            int64_t count = n - from < PIECE ? n - from : PIECE;
            for (int64_t k = 0; k < count; k++) {
                double v = weights[from + k];
                slopes[k] = v / (1.0 - 2.0 * v * middle);
            }
            slope += total(slopes, count);
        }
        if (degrees * slope - y - 1.0 / middle > 0.0)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* log P(sum of weight X > y), X chi-squared with the given degrees of freedom; y > 0, one weight at least. */
EXPORT double log_survival_of_sum(double y, const double *weights, int64_t n, double degrees) {
    double at = saddle(y, weights, n, degrees), second = 1.0 / (at * at), third = 0.0;
    for (int64_t k = 0; k < n; k++) {
        double q = weights[k] / (1.0 - 2.0 * weights[k] * at);
        second += 2.0 * degrees * q * q;
        third += 8.0 * degrees * q * q * q;
    }
    /* The line goes through the integrand's saddle point, where nothing cancels however small the tail, and bends to
       the right, where exp(-ty) falls, along the path of steepest descent (Rice 1980). Places along it grow
       exponentially, so that the trapezoidal rule converges at the same rate for one degree of freedom as for a
       million. */
    double width = 1.0 / sqrt(second), bend = third / (6.0 * second), peak, height, angle;
    exponent(at, 0.0, y, weights, n, degrees, &peak, &angle);
    double integral = 0.5 * width;
    for (double u = STEP; u < FARTHEST + STEP; u += STEP) {
        double aside = width * sinh(u), turn = 2.0 * bend * aside;
        exponent(at + bend * aside * aside, aside, y, weights, n, degrees, &height, &angle);
        /* The path's direction is 1 - i turn, times its speed. */
        double size = exp(height - peak) * width * cosh(u);
        integral += size * (cos(angle) + turn * sin(angle));
        if (size * sqrt(1.0 + turn * turn) < NEGLIGIBLE * fabs(integral)) break;
    }
    return fmin(peak + log(fmax(integral * STEP / PI, 1e-300)), 0.0);
}
