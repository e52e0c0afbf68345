/* SPDX-License-Identifier: MIT */
/** @file columns.h
 *  The columns of the original alignment that became the sites of an alignment or a model.
 *
 *  An alignment as it is read has all its columns: site i is column i, and the total is L. Focusing and filtering remove columns; the sites
 *  that remain keep their places among all. Selected sequences, learned and sampled models, saved states and HDF5 files keep them, too. A
 *  model that was learned after a filter can thus score the alignment as it was before: atp_alignment_for_model() takes its columns.
 */
#ifndef ATTOPOTTS_COLUMNS_H
#define ATTOPOTTS_COLUMNS_H

#include <attopotts/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the column of each site, shape [L], 0-based and ascending; NULL for NULL. Valid until it is set or the handle is destroyed.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API const int64_t *atp_alignment_columns_view(const atp_alignment *alignment) ATP_NOEXCEPT;
/** Returns the number of columns before any was removed; L if none was; 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_alignment_total_columns(const atp_alignment *alignment) ATP_NOEXCEPT;
/** Returns how many of these columns are those of the first of two proteins, in an alignment that was read as ATP_FORMAT_PAIRED or has a
 *  focus with two ranges in its name, and in those made of it by focusing, filtering and selecting; 0 for others and for NULL. The second
 *  begins at the first site whose column is not below it. HDF5 files and models keep it. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_alignment_border(const atp_alignment *alignment) ATP_NOEXCEPT;
/** Sets the columns of the sites. The alignment is then one of one protein.
 *  @param[in] columns (optional) shape [n], 0-based and ascending; NULL: site i is column i of L
 *  @param[in] n       must be L
 *  @param[in] total   the number of columns before any was removed, L..2^40; not read if columns is NULL
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE. Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API atp_status atp_alignment_set_columns(atp_alignment *alignment, const int64_t *columns, int64_t n, int64_t total) ATP_NOEXCEPT;

/** Returns the column of each site of a model, shape [L], as atp_alignment_columns_view(). A learned model takes them from its alignment.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API const int64_t *atp_model_columns_view(const atp_model *model) ATP_NOEXCEPT;
/** Returns the number of columns of the alignment that a model was learned from, before any was removed; L if none was; 0 for NULL.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_model_total_columns(const atp_model *model) ATP_NOEXCEPT;
/** Returns how many of these columns are those of the first of two proteins, as atp_alignment_border(): that of the alignment that a model
 *  was learned from. Saved states and HDF5 files keep it; 0 for others and for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_model_border(const atp_model *model) ATP_NOEXCEPT;
/** Sets the columns of the sites of a model, as atp_alignment_set_columns().
 *  @param[in] columns (optional) shape [n], 0-based and ascending; NULL: site i is column i of L
 *  @param[in] n       must be L
 *  @param[in] total   the number of columns before any was removed, L..2^40; not read if columns is NULL
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE. Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API atp_status atp_model_set_columns(atp_model *model, const int64_t *columns, int64_t n, int64_t total) ATP_NOEXCEPT;

/** Makes an alignment with the sites of a model: its columns are taken out of those of the source, and numbers and residues of the sites
 *  become the model's. Residues of columns that are left out count as inserts. Sequences, weights, names and alphabet stay.
 *  If the totals of both agree, each column of the model must be one of the source's. If the source has as many sites as the model and no
 *  column was removed from it, all its columns are taken, in their order.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE (neither is the case; the text has the numbers of sites and columns, or the site that is
 *          missing); ATP_E_MEMORY
 *  Allocates: the alignment, and work space of 16 bytes for each site and each sequence, freed before the call returns. Threads: one per
 *  context. Since: 0.1. */
ATP_API atp_status atp_alignment_for_model(atp_context *context, const atp_alignment *source, const atp_model *model,
                                           atp_alignment **out) ATP_NOEXCEPT;
/** Makes an alignment with the sites of another one, samples of a model for example, as atp_alignment_for_model().
 *  @return as atp_alignment_for_model(). Allocates: as there. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_match(atp_context *context, const atp_alignment *source, const atp_alignment *other,
                                       atp_alignment **out) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
