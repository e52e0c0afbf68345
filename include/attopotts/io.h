/* SPDX-License-Identifier: MIT */
/** @file io.h
 *  Files of models, alignments and saved states; docs/formats.md has the layouts.
 *
 *  Every file is written under a temporary name beside its target, flushed to the disk and renamed: after a crash, a full disk or kill -9
 *  the old file is still whole. HDF5 needs a build with it; without, those calls answer ATP_E_UNSUPPORTED.
 *
 *  Threads: one thread at a time per file; HDF5 calls of one process one at a time.
 */
#ifndef ATTOPOTTS_IO_H
#define ATTOPOTTS_IO_H

#include <attopotts/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Write an alignment. @param[in] format HDF5, FASTA or integers
 *  @param[in] path "-" for standard output (not HDF5)
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (format); ATP_E_CONFLICT (FASTA without an alphabet); ATP_E_OPEN; ATP_E_WRITE; ATP_E_UNSUPPORTED
 *  Allocates: work space through the context (for HDF5 as much as the file) and inside HDF5, freed before it returns.
 *  Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_write(atp_context *context, const atp_alignment *alignment, atp_format format,
                                       const char *path) ATP_NOEXCEPT;

/** Write a model as HDF5. @return ATP_OK; ATP_E_NULL; ATP_E_OPEN; ATP_E_WRITE; ATP_E_UNSUPPORTED.
 *  Allocates: as much as the file through the context, and work space inside HDF5, freed before it returns.
 *  Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_model_write(atp_context *context, const atp_model *model, const char *path) ATP_NOEXCEPT;

/** Read a model. @return ATP_OK; ATP_E_NULL; ATP_E_OPEN; ATP_E_READ; ATP_E_FORMAT (not HDF5, not a model, cut short, damaged, wrong
 *  shapes); ATP_E_NOT_FINITE; ATP_E_MEMORY; ATP_E_UNSUPPORTED.
 *  Allocates: the model, and work space inside HDF5. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_model_read(atp_context *context, const char *path, atp_model **out) ATP_NOEXCEPT;

/** What a file holds: "model", "alignment" (HDF5), "fasta" (also A2M, A3M), "stockholm", "integers", "state" (a checkpoint), or "unknown";
 *  of text packed by gzip what is inside.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPEN; ATP_E_READ. *kind is a static string. Allocates: 64 KiB
 *  through the context, and inside HDF5, freed before it returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_file_kind(atp_context *context, const char *path, const char **kind) ATP_NOEXCEPT;

/** Write bytes to a file by the rules above: for the states of samplers and trainers.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (size < 0); ATP_E_OPEN; ATP_E_WRITE. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_file_write(atp_context *context, const char *path, const void *bytes, int64_t size) ATP_NOEXCEPT;

/** Size of a file in bytes. @return ATP_OK; ATP_E_NULL; ATP_E_OPEN. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_file_size(atp_context *context, const char *path, int64_t *size) ATP_NOEXCEPT;

/** Read a whole file. @param[out] bytes; @param[in] size what atp_file_size() said
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPEN; ATP_E_READ (the file has another size). Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_file_read(atp_context *context, const char *path, void *bytes, int64_t size) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
