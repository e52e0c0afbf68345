// SPDX-License-Identifier: MIT
// The pieces of an encoder in float64 and their derivatives: plain loops, the reference of the fast kernels.
//
// Rows are sites, [rows][elements]. dX is the derivative of the loss with respect to X. "+=" means added to the
// present contents; all other outputs are overwritten.
#pragma once

#include <cstdint>

namespace atp::layers {

// y = w x + b, w [out][in].
void linear(int64_t rows, int64_t in, int64_t out, const double *w, const double *b, const double *x, double *y);
// dw, db +=; dx += (NULL: not computed).
void linear_back(int64_t rows, int64_t in, int64_t out, const double *w, const double *x, const double *dy, double *dw, double *db,
                 double *dx);

// hat = (x - mean) / sqrt(var + epsilon), y = scale hat + shift; deviation[row] = 1 / sqrt(var + epsilon). x and hat may be the same.
void norm(int64_t rows, int64_t width, const double *scale, const double *shift, const double *x, double *hat, double *deviation,
          double *y);
// dscale, dshift +=; dx may be dy.
void norm_back(int64_t rows, int64_t width, const double *scale, const double *hat, const double *deviation, const double *dy,
               double *dscale, double *dshift, double *dx);

void relu(int64_t n, double *x);
// y is the output of relu().
void relu_back(int64_t n, const double *y, double *dy);

// Queries first..last-1 of all sites: a [sites][sites], c [sites][width]. Rows of other queries are not changed. qkv [sites][3 width].
void attention(int64_t sites, int64_t width, int64_t first, int64_t last, const double *qkv, double *a, double *c);
// dqkv is overwritten; `work` has [sites].
void attention_back(int64_t sites, int64_t width, int64_t first, int64_t last, const double *qkv, const double *a, const double *dc,
                    double *dqkv, double *work);

// Returns -log softmax(logits)[own]. slopes (NULL: not computed) = weight (p - [a = own]). slopes may be logits.
double cross_entropy(int64_t colors, const double *logits, int64_t own, double weight, double *slopes);

}  // namespace atp::layers
