/* The passes over the rows of one network in one precision; network.c includes this twice, with `real` and NAME.

   The gradient of a hidden unit's parameters is a sum over rows, kept in LANES partial sums (see lanes.h): `sums` holds
   them, hidden parameters in their order, then the weights of inputs beyond the first. */

#define LANES ((int)(32 / sizeof(real)))
#define BLOCK ((int)(512 / sizeof(real))) /* rows at a time: 100 hidden units stay in the second-level cache */
#define lane NAME(lane)

typedef real lane __attribute__((vector_size(32), aligned(sizeof(real)), may_alias));

/* One fit. `u` is inputs x rows; the weights of inputs beyond the first stand at the end of theta. */
typedef struct {
    int head, outputs;
    int64_t hidden, inputs, rows; /* `rows` is a multiple of BLOCK */
    const real *u, *v, *weight;
    double reach, penalty; /* `reach` is the largest size of the first input */
    const real *theta;
    real *h, *sums; /* hidden x BLOCK, and parameters of the hidden layer x LANES */
    double *tail;   /* derivatives in offsets and scalars, then the loss */
} NAME(network);

INLINE int64_t NAME(tail_of)(const NAME(network) *net) { return (2 + net->outputs) * net->hidden; }

/* Activations and outputs of a block; `outputs` is a constant where this is called. */
INLINE void NAME(forward)(const NAME(network) *net, int outputs, const real *restrict u, real (*restrict o)[BLOCK]) {
    int64_t hidden = net->hidden, tail = NAME(tail_of)(net);
    const real *theta = net->theta, *more = theta + tail + 2 * outputs;
    const real most = NAME(MOST_TURNS), turns = (real)TURNS;
    for (int k = 0; k < outputs; k++)
        for (int r = 0; r < BLOCK; r++) o[k][r] = theta[tail + k];
    for (int64_t j = 0; j < hidden; j++) {
        real w = turns * theta[j], b = turns * theta[hidden + j], w0 = theta[2 * hidden + j];
        real w1 = outputs > 1 ? theta[3 * hidden + j] : 0, w2 = outputs > 2 ? theta[4 * hidden + j] : 0;
        real *restrict row = net->h + j * BLOCK;
        if (net->inputs == 1 && fabs(w) * net->reach + fabs(b) <= most) {
            for (int r = 0; r < BLOCK; r++) {
                real t = NAME(tanh)(w * u[r] + b);
                row[r] = t;
                o[0][r] += w0 * t;
                if (outputs > 1) o[1][r] += w1 * t;
                if (outputs > 2) o[2][r] += w2 * t;
            }
            continue;
        }
        for (int r = 0; r < BLOCK; r++) row[r] = w * u[r] + b;
        for (int64_t i = 1; i < net->inputs; i++) {
            real other = turns * more[(i - 1) * hidden + j];
            const real *restrict x = u + i * net->rows;
            for (int r = 0; r < BLOCK; r++) row[r] += other * x[r];
        }
        for (int r = 0; r < BLOCK; r++) {
            real y = row[r] < -most ? -most : row[r];
            row[r] = y > most ? most : y;
        }
        for (int r = 0; r < BLOCK; r++) {
            real t = NAME(tanh)(row[r]);
            row[r] = t;
            o[0][r] += w0 * t;
            if (outputs > 1) o[1][r] += w1 * t;
            if (outputs > 2) o[2][r] += w2 * t;
        }
    }
}

/* Add the gradient of every parameter of the hidden layer, given the derivatives `d` in the outputs. With several
   inputs the activations are used up. */
INLINE void NAME(backward)(const NAME(network) *net, int outputs, const real *restrict u,
                           const real (*restrict d)[BLOCK]) {
    int64_t hidden = net->hidden;
    bool several = net->inputs > 1;
    const real *theta = net->theta;
    lane *sums = (lane *)net->sums;
    /* All sums of one hidden unit in one pass over its row: an activation is loaded once. */
    for (int64_t j = 0; j < hidden; j++) {
        real w0 = theta[2 * hidden + j];
        real w1 = outputs > 1 ? theta[3 * hidden + j] : 0, w2 = outputs > 2 ? theta[4 * hidden + j] : 0;
        real *row = net->h + j * BLOCK;
        lane to_w = {0}, to_b = {0}, to_0 = {0}, to_1 = {0}, to_2 = {0};
        for (int r = 0; r < BLOCK; r += LANES) {
            lane t = *(lane *)(row + r), x = *(const lane *)(d[0] + r), dz = w0 * x;
            to_0 += t * x;
            if (outputs > 1) {
                lane y = *(const lane *)(d[1] + r);
                to_1 += t * y;
                dz += w1 * y;
            }
            if (outputs > 2) {
                lane y = *(const lane *)(d[2] + r);
                to_2 += t * y;
                dz += w2 * y;
            }
            dz *= 1 - t * t;
            to_b += dz;
            to_w += dz * *(const lane *)(u + r);
            if (several) *(lane *)(row + r) = dz;
        }
        sums[j] += to_w;
        sums[hidden + j] += to_b;
        sums[2 * hidden + j] += to_0;
        if (outputs > 1) sums[3 * hidden + j] += to_1;
        if (outputs > 2) sums[4 * hidden + j] += to_2;
        for (int64_t i = 1; i < net->inputs; i++) {
            lane to_other = {0};
            const real *x = u + i * net->rows;
            for (int r = 0; r < BLOCK; r += LANES) to_other += *(lane *)(row + r) * *(const lane *)(x + r);
            sums[(1 + outputs + i) * hidden + j] += to_other;
        }
    }
}

/* Add loss and gradient of one block, which begins at `row`. */
INLINE void NAME(block)(const NAME(network) *net, int outputs, int64_t row) {
    real o[MOST_OUTPUTS][BLOCK], d[MOST_OUTPUTS][BLOCK];
    rows_of wide_o[MOST_OUTPUTS], wide_d[MOST_OUTPUTS], v, weight;
    double scale[MOST_OUTPUTS];
    NAME(forward)(net, outputs, net->u + row, o);
    for (int r = 0; r < BLOCK; r++) v[r] = net->v[row + r], weight[r] = net->weight[row + r];
    for (int k = 0; k < outputs; k++) {
        scale[k] = net->theta[NAME(tail_of)(net) + outputs + k];
        for (int r = 0; r < BLOCK; r++) wide_o[k][r] = o[k][r];
    }
    net->tail[2 * outputs] +=
        head_rows(net->head, outputs, BLOCK, scale, wide_o, v, weight, net->penalty, wide_d, net->tail);
    for (int k = 0; k < outputs; k++)
        for (int r = 0; r < BLOCK; r++) d[k][r] = (real)wide_d[k][r];
    NAME(backward)(net, outputs, net->u + row, d);
}

/* Add loss and gradient of the blocks from `row` until `end`. */
static void NAME(blocks)(const NAME(network) *net, int64_t row, int64_t end) {
    for (; row < end; row += BLOCK) {
        if (net->outputs == 1)
            NAME(block)(net, 1, row);
        else if (net->outputs == 2)
            NAME(block)(net, 2, row);
        else
            NAME(block)(net, 3, row);
    }
}

static void NAME(clear)(const NAME(network) *net) {
    memset(net->sums, 0, (size_t)((1 + net->outputs + net->inputs) * net->hidden * LANES) * sizeof(real));
    for (int k = 0; k <= 2 * net->outputs; k++) net->tail[k] = 0.0;
}

static void NAME(add_up)(const NAME(network) *net, real *g) {
    int64_t tail = NAME(tail_of)(net), all = tail + (net->inputs - 1) * net->hidden;
    for (int64_t i = 0; i < all; i++) {
        real part[LANES];
        memcpy(part, net->sums + i * LANES, sizeof part);
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int l = 0; l < half; l++) part[l] += part[l + half];
        g[i < tail ? i : i + 2 * net->outputs] = part[0];
    }
    for (int k = 0; k < 2 * net->outputs; k++) g[tail + k] = (real)net->tail[k];
}

/* One step of Adam in place; `schedule` is its rate and how much weight the two running means have given so far. The
   moments are stored in the precision of their arrays before they are divided. */
static void NAME(adam)(int64_t size, const double *schedule, const real *restrict g, real *restrict theta,
                       real *restrict m, real *restrict s) {
    double rate = schedule[0], bias_m = schedule[1], bias_s = schedule[2];
    for (int64_t i = 0; i < size; i++) {
        m[i] = (real)(BETA_1 * m[i] + (1 - BETA_1) * g[i]);
        s[i] = (real)(BETA_2 * s[i] + (1 - BETA_2) * g[i] * g[i]);
        theta[i] = (real)(theta[i] - rate * (m[i] / bias_m) / (sqrt(s[i] / bias_s) + EPSILON));
    }
}

/* Steps of one fit in place, until step `last` or until `most` rows have been passed over; false if there is more to
   do. `place` is the step and the row where the next call goes on. All else is as models/network/fitting.py lays it
   out. */
EXPORT bool NAME(network_advance)(const int64_t *shape, double reach, double penalty, const real *data,
                                  const double *schedule, int64_t last, int64_t most, int64_t *place, double *record,
                                  real *state, real *space) {
    int outputs = (int)shape[OUTPUTS];
    int64_t hidden = shape[HIDDEN], inputs = shape[INPUTS], rows = shape[ROWS];
    int64_t size = (1 + outputs + inputs) * hidden + 2 * outputs;
    real *theta = state, *g = theta + size, *m = g + size, *s = m + size, *best = s + size;
    const real *v = data + inputs * rows, *weight = v + rows;
    real *sums = space + hidden * BLOCK;
    NAME(network) net = {(int)shape[HEAD], outputs, hidden, inputs, rows, data, v,
                         weight, reach, penalty, theta, space, sums, record + SUMS};
    while (place[0] < last && record[DIVERGED] < 0.0) {
        if (most <= 0) return false;
        if (place[1] == 0) NAME(clear)(&net);
        int64_t from = place[1], end = rows - from > most ? from + (most + BLOCK - 1) / BLOCK * BLOCK : rows;
        NAME(blocks)(&net, from, end);
        most -= end - from;
        place[1] = end;
        if (end < rows) return false;
        place[1] = 0;
        int64_t step = place[0]++;
        double loss = net.tail[2 * outputs];
        if (!isfinite(loss)) {
            record[DIVERGED] = (double)step;
            return true;
        }
        /* The loss of a step belongs to the parameters before its update, so both are kept here. */
        if (loss < record[BEST]) {
            record[BEST] = loss, record[STEP] = (double)step;
            memcpy(best, theta, (size_t)size * sizeof(real));
        }
        NAME(add_up)(&net, g);
        if (!shape[FREE_SCALES])
            for (int k = 0; k < outputs; k++) g[NAME(tail_of)(&net) + outputs + k] = 0;
        NAME(adam)(size, schedule + 3 * step, g, theta, m, s);
    }
    return true;
}

#undef LANES
#undef BLOCK
#undef lane
