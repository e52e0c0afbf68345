/* SPDX-License-Identifier: MIT */
/** @file input.h
 *  A header of the library attopotts_io.
 *
 *  A file that is opened once, told for what it is, and read as that: also where it can be read but once, as a pipe, a socket, a shell's
 *  <(...) or standard input.
 *
 *  The functions that read a path (atp_alignment_read(), atp_model_read(), atp_scores_read()) open it, read it once and close it, too: an
 *  input is for those who do not know beforehand what a file holds.
 *
 *  Content is judged by the first 64 KiB before the rest is read: what is neither text nor HDF5, nor as long as plmc's numbers say, is not
 *  read on, and neither is a saved state. HDF5 in a regular file is left to HDF5; everything else is kept in memory until the input is
 *  destroyed.
 *
 *  Threads: one thread at a time per context.
 */
#ifndef ATTOPOTTS_INPUT_H
#define ATTOPOTTS_INPUT_H

#include <attopotts/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque input. */
typedef struct atp_input atp_input;

/** Open a file, find out what it is, and read it.
 *  @param[in]  path "-" is standard input; a socket in the file system is connected to
 *  @param[out] out  the input; it belongs to the context
 *  @return ATP_OK, also where the content is not known; ATP_E_NULL; ATP_E_OPEN; ATP_E_READ; ATP_E_FORMAT (a zero byte in a text);
 *          ATP_E_MEMORY (with what was asked for)
 *  Allocates: the input: the size of the file (streams: up to three times that while it grows), but for HDF5 in a regular file and what is
 *  not read on 64 KiB; and inside HDF5, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_open(atp_context *context, const char *path, atp_input **out) ATP_NOEXCEPT;

/** Frees an input. NULL is allowed. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API void atp_input_destroy(atp_input *input) ATP_NOEXCEPT;

/** What it holds: "model", "alignment" (HDF5), "fasta" (also A2M, A3M), "stockholm", "integers", "state" (a checkpoint), or "unknown";
 *  of text packed by gzip what is inside. Of other tools "plmc-model", "plmc-couplings", "ccmpred-raw", "ccmpred-matrix", "adabm" (text
 *  with letters), "bmdca" (with integers). @return a static string; "" for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_input_kind(const atp_input *input) ATP_NOEXCEPT;

/** Returns the number of bytes of atp_input_bytes_view(); 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_input_size(const atp_input *input) ATP_NOEXCEPT;

/** The bytes of a text that was read, as they are in the file.
 *  @return an array that lives as long as the input; NULL for NULL and where the file was not read to its end or is HDF5.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API const void *atp_input_bytes_view(const atp_input *input) ATP_NOEXCEPT;

/** Reads sequences, as atp_alignment_read(); any number of times.
 *  @param[in]  alphabet, options  (optional) as there
 *  @return as atp_alignment_read() but for ATP_E_OPEN and ATP_E_READ
 *  Allocates: the alignment, and work space through the context, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_alignment(const atp_input *input, const char *alphabet, const atp_options *options,
                                       atp_alignment **out) ATP_NOEXCEPT;

/** Reads a model, as atp_model_read_as(); any number of times.
 *  @param[in]  alphabet  (optional) as there
 *  @return as atp_model_read_as() but for ATP_E_OPEN and ATP_E_READ
 *  Allocates: the model, and work space through the context, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_model(const atp_input *input, atp_model_format format, const char *alphabet, atp_model **out) ATP_NOEXCEPT;

/** The number of sites of a file of scores, for atp_input_scores(). @return ATP_OK; ATP_E_NULL; ATP_E_FORMAT.
 *  Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_scores_sites(const atp_input *input, int64_t *sites) ATP_NOEXCEPT;

/** Reads scores of pairs of sites, as atp_scores_read(); any number of times. Outputs are touched only where all of the file is right.
 *  @param[out] scores    shape [L][L]; @param[in] size L * L, with L of atp_input_scores_sites()
 *  @param[out] numbers   (optional) of the sites, shape [L]
 *  @param[out] residues  (optional) of the sites, L + 1 bytes
 *  @return as atp_scores_read() but for ATP_E_OPEN and ATP_E_READ
 *  Allocates: a buffer of the size of the scores, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_scores(const atp_input *input, double *scores, int64_t size, int64_t *numbers, char *residues) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
