/* A sparse design in runs of rows that touch the same features; see numerics/splines.py. */

#ifndef CAUSEWISE_DESIGN_H
#define CAUSEWISE_DESIGN_H

#include "lanes.h"

#define LONGEST_RUN 512

typedef struct {
    const double *values;  /* the runs' blocks one after the other, each features x rows */
    const int64_t *bounds; /* runs + 1 of them */
    const int64_t *index;  /* runs x touched */
    int64_t runs, touched; /* `touched` features a row */
} design;

/* One run: its block, its features, its first row and how many it has. */
typedef struct {
    const double *values;
    const int64_t *features;
    int64_t first, rows;
} run;

INLINE run run_of(const design *d, int64_t r) {
    int64_t first = d->bounds[r];
    return (run){d->values + first * d->touched, d->index + r * d->touched, first, d->bounds[r + 1] - first};
}

void predict_run(const run *here, int64_t touched, const double *w, double *restrict even, double *restrict odd);
void scatter_run(const run *here, int64_t touched, const double *even, const double *odd, double *out);
void band_run(const run *here, int64_t touched, const double *even, const double *mixed, const double *odd,
              int64_t width, double *band);

#endif
