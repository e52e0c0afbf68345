/* SPDX-License-Identifier: MIT */
/** @file lattice.h
 *  Potts and Ising models on lattices and random graphs: ferromagnets, antiferromagnets, spin glasses.
 *
 *      atp_options_create(context, ATP_OWNER_LATTICE, &options);
 *      atp_options_set_i64(options, ATP_OPT_SIZE_X, 64);            // 64 x 64 sites, q = 2, J = 1, periodic
 *      atp_model_create_lattice(context, options, &model);
 *
 *  The model has a list of pairs (pairs.h), the bonds of the lattice, with couplings C_ij(a, b) = J_ij U(a, b) and no fields. Sites are
 *  numbered x + size_x (y + size_y z), which has nothing to say for random graphs. With U the identity, the standard Potts model,
 *  the square ferromagnet has its transition at beta J = log(1 + sqrt q); with ATP_COLOR_MATRIX_ISING and q = 2 it is the Ising model
 *  H = - sum_ij J_ij s_i s_j, whose beta is half of that of the Potts model.
 *
 *  Equal options give equal models on every machine. Threads: as model.h.
 */
#ifndef ATTOPOTTS_LATTICE_H
#define ATTOPOTTS_LATTICE_H

#include <attopotts/pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Lattices and graphs. Bonds that an extent of 1 or 2 makes twice, or from a site to itself, are there once, or not. */
typedef enum atp_lattice ATP_INT {
  ATP_LATTICE_SQUARE = 1,     /**< neighbours along x and y; one extent of 1: a chain or a ring */
  ATP_LATTICE_CUBIC = 2,      /**< neighbours along x, y and z */
  ATP_LATTICE_TRIANGULAR = 3, /**< as square, and (x, y) with (x + 1, y + 1): six neighbours */
  ATP_LATTICE_BETHE = 4,      /**< a random graph in which every site has ATP_OPT_DEGREE neighbours, by random matches of
                                   the ends of bonds, nearly uniform: A. Steger, N. Wormald, Comb. Probab. Comput. 8, 377 (1999) */
  ATP_LATTICE_ERDOS_RENYI = 5 /**< round(L degree / 2) different pairs at random, all choices equally likely */
} atp_lattice;

/** What lies past the last row of a lattice. */
typedef enum atp_boundary ATP_INT {
  ATP_BOUNDARY_PERIODIC = 1, /**< the first one */
  ATP_BOUNDARY_OPEN = 2      /**< nothing */
} atp_boundary;

/** Couplings of the bonds. */
typedef enum atp_bonds ATP_INT {
  ATP_BONDS_FERROMAGNET = 1,     /**< J_ij = 1 */
  ATP_BONDS_ANTIFERROMAGNET = 2, /**< J_ij = -1 */
  ATP_BONDS_PLUS_MINUS = 3,      /**< J_ij = 1 or -1, equally likely [S. Edwards, P. Anderson, J. Phys. F 5, 965 (1975)] */
  ATP_BONDS_GAUSSIAN = 4         /**< J_ij ~ N(0, 1) */
} atp_bonds;

/** Makes a model on a lattice.
 *  @param[in] options  (optional) of ATP_OWNER_LATTICE
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (fewer than 2 sites, or more than 2^20; size-z above 1 of a lattice in the plane; no bond);
 *          ATP_E_CONFLICT (a Bethe lattice whose degree is no whole number from 1 to L - 1, or has an odd number of ends, or for which a
 *          thousand attempts found no graph; more bonds of a random graph than pairs); ATP_E_MEMORY
 *  Allocates: the model, and work space of 48 bytes for each bond, freed before the call returns. Threads: one per context. Since: 0.1.
 */
ATP_API atp_status atp_model_create_lattice(atp_context *context, const atp_options *options, atp_model **out) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
