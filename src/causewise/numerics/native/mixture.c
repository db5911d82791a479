/* The density of one column as a mixture of normals; the names are those of numerics/density.py. */

#include "lanes.h"

#define CHUNKS 80 /* a multiple of 8, so that the rows of any vector unit end with it */
#define MAX_COMPONENTS 5
#define STEPS 25
#define TOLERANCE 1e-4 /* EM stops when a step gains less than this many nats a row */
#define FLOOR 0.02 /* smallest standard deviation of a component, in those of the column: a spike is no free density */
#define HALF_LOG_2PI 0x1.d67f1c864beb4p-1
#define BLOCK 256

/* The sorted column as runs of equal count: mean of each, and variance within. */
typedef struct {
    int64_t count;
    double centre[CHUNKS], within[CHUNKS];
} chunks;

typedef struct {
    int64_t size;
    double weight[MAX_COMPONENTS], mean[MAX_COMPONENTS], sd[MAX_COMPONENTS];
} mixture;

/* The log of a component's density is front - half z^2, up to -log(2 pi)/2. */
static void fronts(int64_t size, const double *weight, const double *sd, double *front, double *half) {
    for (int64_t j = 0; j < size; j++) {
        front[j] = log_one(weight[j] / sd[j]);
        half[j] = 0.5 / (sd[j] * sd[j]);
    }
}

INLINE lanes density_lanes(lanes x, int64_t size, const double *mean, const double *front, const double *half) {
    lanes top = front[0] - half[0] * (x - mean[0]) * (x - mean[0]), sum = {0};
    if (size == 1) return top - HALF_LOG_2PI;
    for (int64_t j = 1; j < size; j++) {
        lanes here = front[j] - half[j] * (x - mean[j]) * (x - mean[j]);
        top = choose(here > top, here, top);
    }
    for (int64_t j = 0; j < size; j++) sum += exp_lanes(front[j] - half[j] * (x - mean[j]) * (x - mean[j]) - top);
    return top + log_lanes(sum) - HALF_LOG_2PI;
}

static void log_densities(const double *x, int64_t n, int64_t size, const double *mean, const double *front,
                          const double *half, double *out) {
    int64_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH) store(out + i, density_lanes(load(x + i), size, mean, front, half));
    if (i < n) {
        double rest[WIDTH] = {0};
        for (int64_t k = i; k < n; k++) rest[k - i] = x[k];
        store(rest, density_lanes(load(rest), size, mean, front, half));
        for (int64_t k = i; k < n; k++) out[k] = rest[k - i];
    }
}

/* `scratch` holds 2 size numbers. */
EXPORT void mixture_log_density(const double *x, int64_t n, int64_t size, const double *weight, const double *mean,
                                const double *sd, double *scratch, double *out) {
    fronts(size, weight, sd, scratch, scratch + size);
    log_densities(x, n, size, mean, scratch, scratch + size, out);
}

/* Minus the derivative of the log density: the mean of (x - mean) / sd^2 over the shares of the components. */
INLINE lanes score_lanes(lanes x, int64_t size, const double *mean, const double *front, const double *half) {
    lanes top = front[0] - half[0] * (x - mean[0]) * (x - mean[0]), sum = {0}, slope = {0};
    for (int64_t j = 1; j < size; j++) {
        lanes here = front[j] - half[j] * (x - mean[j]) * (x - mean[j]);
        top = choose(here > top, here, top);
    }
    for (int64_t j = 0; j < size; j++) {
        lanes share = exp_lanes(front[j] - half[j] * (x - mean[j]) * (x - mean[j]) - top);
        sum += share;
        slope += share * (2.0 * half[j] * (x - mean[j]));
    }
    return slope / sum;
}

/* `scratch` holds 2 size numbers. */
EXPORT void mixture_scores(const double *x, int64_t n, int64_t size, const double *weight, const double *mean,
                           const double *sd, double *scratch, double *out) {
    double *front = scratch, *half = scratch + size;
    fronts(size, weight, sd, front, half);
    int64_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH) store(out + i, score_lanes(load(x + i), size, mean, front, half));
    if (i < n) {
        double rest[WIDTH] = {0};
        for (int64_t k = i; k < n; k++) rest[k - i] = x[k];
        store(rest, score_lanes(load(rest), size, mean, front, half));
        for (int64_t k = i; k < n; k++) out[k] = rest[k - i];
    }
}

static double data_cost(const double *s, int64_t n, const mixture *m) {
    double front[MAX_COMPONENTS], half[MAX_COMPONENTS], density[BLOCK], sum = 0.0;
    fronts(m->size, m->weight, m->sd, front, half);
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t rows = n - first < BLOCK ? n - first : BLOCK;
        log_densities(s + first, rows, m->size, m->mean, front, half, density);
        sum += total(density, rows);
    }
    return -sum / (double)n;
}

static double parameter_cost(int64_t size, int64_t n) {
    return 0.5 * (double)(3 * size - 1) * log_one((double)n) / (double)n;
}

/* Ends of the j-th of `count` equal parts, rounded outwards: the parts of -s are those of s, mirrored. */
INLINE int64_t part_start(int64_t j, int64_t n, int64_t count) { return j * n / count; }
INLINE int64_t part_end(int64_t j, int64_t n, int64_t count) { return ((j + 1) * n + count - 1) / count; }

static double centred_squares(const double *s, int64_t n, double mean) {
    double centred[BLOCK], sum = 0.0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t rows = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t i = 0; i < rows; i++) centred[i] = s[first + i] - mean;
        sum += dot(centred, centred, rows);
    }
    return sum;
}

static void condense(const double *s, int64_t n, chunks *c) {
    c->count = n < CHUNKS ? n : CHUNKS;
    for (int64_t j = 0; j < c->count; j++) {
        int64_t start = part_start(j, n, c->count), rows = part_end(j, n, c->count) - start;
        c->centre[j] = total(s + start, rows) / (double)rows;
        c->within[j] = centred_squares(s + start, rows, c->centre[j]) / (double)rows;
    }
    for (int64_t j = c->count; j < CHUNKS; j++) { /* computed along with the others, never summed */
        c->centre[j] = c->centre[c->count - 1];
        c->within[j] = c->within[c->count - 1];
    }
}

/* Mean and standard deviation of a range of chunks. */
static double moments(const chunks *c, int64_t start, int64_t end, double *sd) {
    double count = (double)(end - start), mean = total(c->centre + start, end - start) / count;
    *sd = sqrt((total(c->within + start, end - start) + centred_squares(c->centre + start, end - start, mean)) / count);
    return mean;
}

static void quantile_start(const chunks *c, int64_t size, double floor, mixture *m) {
    m->size = size;
    for (int64_t j = 0; j < size; j++) {
        m->weight[j] = 1.0 / (double)size;
        m->mean[j] = moments(c, part_start(j, c->count, size), part_end(j, c->count, size), m->sd + j);
        if (m->sd[j] < floor) m->sd[j] = floor;
    }
}

static void split_start(const mixture *smaller, mixture *m) {
    int64_t heaviest = 0, last = smaller->size;
    *m = *smaller;
    m->size++;
    for (int64_t j = 1; j < last; j++)
        if (m->weight[j] > m->weight[heaviest]) heaviest = j;
    m->mean[last] = m->mean[heaviest];
    m->weight[last] = 0.4 * m->weight[heaviest], m->weight[heaviest] *= 0.6;
    m->sd[last] = 1.5 * m->sd[heaviest], m->sd[heaviest] *= 0.6;
}

/* EM in place; returns the mean log density of the condensed column at the last but one step. */
static double climb(const chunks *c, double floor, mixture *m) {
    double ones[CHUNKS], squares[CHUNKS], density[CHUNKS], share[MAX_COMPONENTS][CHUNKS];
    double front[MAX_COMPONENTS], half[MAX_COMPONENTS], sums[3];
    double count = (double)c->count, value = 0.0, last = -INFINITY;
    int64_t size = m->size;
    for (int64_t i = 0; i < CHUNKS; i++) {
        ones[i] = 1.0;
        squares[i] = c->centre[i] * c->centre[i] + c->within[i];
    }
    for (int step = 0; step < STEPS; step++) {
        fronts(size, m->weight, m->sd, front, half);
        for (int64_t i = 0; i < c->count; i += WIDTH) {
            lanes here[MAX_COMPONENTS], sum = {0}, top = all(-INFINITY);
            for (int64_t j = 0; j < size; j++) {
                lanes z = load(c->centre + i) - m->mean[j];
                here[j] = front[j] - half[j] * (z * z + load(c->within + i));
                top = choose(here[j] > top, here[j], top);
            }
            for (int64_t j = 0; j < size; j++) sum += here[j] = exp_lanes(here[j] - top);
            for (int64_t j = 0; j < size; j++) store(share[j] + i, here[j] / sum);
            store(density + i, top + log_lanes(sum));
        }
        value = total(density, c->count) / count;
        for (int64_t j = 0; j < size; j++) {
            dot3(ones, c->centre, squares, share[j], c->count, sums);
            double held = sums[0] > 1e-300 ? sums[0] : 1e-300;
            m->weight[j] = sums[0] / count > 1e-8 ? sums[0] / count : 1e-8;
            m->mean[j] = sums[1] / held;
            double variance = sums[2] / held - m->mean[j] * m->mean[j];
            m->sd[j] = variance > floor * floor ? sqrt(variance) : floor;
        }
        if (value - last < TOLERANCE) break;
        last = value;
    }
    double sum = 0.0;
    for (int64_t j = 0; j < size; j++) sum += m->weight[j];
    for (int64_t j = 0; j < size; j++) m->weight[j] /= sum;
    return value;
}

/* The mixture with the shortest code for the n sorted values. Its size is returned; `costs` are the nats a row of the
   data and of the parameters. */
EXPORT int64_t mixture_search(const double *s, int64_t n, double *weight, double *mean, double *sd, double *costs) {
    chunks c;
    condense(s, n, &c);
    mixture now = {.size = 1, .weight = {1.0}}, other, best;
    now.mean[0] = moments(&c, 0, c.count, now.sd);
    double floor = FLOOR * now.sd[0];
    best = now;
    costs[0] = data_cost(s, n, &best), costs[1] = parameter_cost(1, n);
    /* Each size is started twice, from equal shares of the quantiles and from the smaller mixture with its heaviest
       component split into a narrow and a wide one (the start that finds heavy tails). */
    for (int64_t k = 2; k <= MAX_COMPONENTS; k++) {
        split_start(&now, &other);
        quantile_start(&c, k, floor, &now);
        double from_quantiles = climb(&c, floor, &now), from_split = climb(&c, floor, &other);
        if (!(from_quantiles >= from_split)) now = other;
        double data = data_cost(s, n, &now), parameters = parameter_cost(k, n);
        double gain = costs[0] + costs[1] - (data + parameters);
        if (gain > 0.0) {
            best = now;
            costs[0] = data, costs[1] = parameters;
        } else if (k >= 3 && -gain > parameter_cost(2, n) - parameter_cost(1, n)) {
            break; /* two sizes in a row paid for themselves less than their parameters cost */
        }
    }
    memcpy(weight, best.weight, sizeof best.weight);
    memcpy(mean, best.mean, sizeof best.mean);
    memcpy(sd, best.sd, sizeof best.sd);
    return best.size;
}
