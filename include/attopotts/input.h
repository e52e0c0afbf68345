/* SPDX-License-Identifier: MIT */
/** @file input.h
 *  Reads files whose content is not known beforehand. The functions are in the library attopotts_io.
 *
 *  An input opens a file once, determines its content, and reads it. It works for files that can be read only once, too: a pipe, a socket,
 *  a shell's <(...) or standard input.
 *
 *  The functions that read a path (atp_alignment_read(), atp_model_read(), atp_scores_read()) also open it, read it once and close it. Use
 *  them if you know what the file holds.
 *
 *  The first 64 KiB decide on the content before the rest is read. The rest is read only if the content is text, HDF5, or a file of plmc or
 *  NumPy whose length matches the numbers in it. Saved states are not read further. The HDF5 library reads HDF5 in a regular file;
 *  everything else is kept in memory until the input is destroyed.
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

/** Opens a file, determines its content, and reads it.
 *  @param[in]  path "-" is standard input; a socket in the file system is connected to
 *  @param[out] out  the input; it belongs to the context
 *  @return ATP_OK, also if the content is unknown; ATP_E_NULL; ATP_E_OPEN; ATP_E_READ; ATP_E_FORMAT (a zero byte in a text); ATP_E_MEMORY
 *          (with the number of bytes requested)
 *  Allocates: the input: the size of the file (streams: up to three times that while it grows), or 64 KiB for HDF5 in a regular file and
 *  for content that is not read further; and memory inside HDF5, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_open(atp_context *context, const char *path, atp_input **out) ATP_NOEXCEPT;

/** Frees an input. NULL is allowed. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API void atp_input_destroy(atp_input *input) ATP_NOEXCEPT;

/** Returns the content of the input: "model", "alignment" (HDF5), "fasta" (also A2M, A3M), "stockholm", "integers", "state" (a saved
 *  state), or "unknown". For text packed by gzip it is the content inside. Formats of other tools: "plmc-model", "plmc-couplings",
 *  "ccmpred-raw", "ccmpred-braw", "ccmpred-matrix", "adabm" (text with letters), "bmdca" (with integers), "gremlin-mrf",
 *  "evcouplings-scores", "npy" (an array of NumPy). @return a static string; "" for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_input_kind(const atp_input *input) ATP_NOEXCEPT;

/** Returns the number of bytes of atp_input_bytes_view(); 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_input_size(const atp_input *input) ATP_NOEXCEPT;

/** Returns the bytes of a text that was read, as they are in the file.
 *  @return an array that lives as long as the input; NULL for NULL, for HDF5, and if the file was not read to its end.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API const void *atp_input_bytes_view(const atp_input *input) ATP_NOEXCEPT;

/** The largest number of dimensions of an array, for atp_input_array_shape(). */
#define ATP_ARRAY_DIMENSIONS 8

/** Returns the shape of the array in a .npy file of NumPy ("npy"), for atp_input_array().
 *  @param[out] shape       the extents, slowest index first, then zeros; shape [size]
 *  @param[in]  size        at least the number of dimensions; ATP_ARRAY_DIMENSIONS is always enough
 *  @param[out] dimensions  0 for a single number
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE (size); ATP_E_FORMAT (not a .npy file, damaged, or other than real and whole numbers).
 *  Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_array_shape(const atp_input *input, int64_t *shape, int64_t size, int64_t *dimensions) ATP_NOEXCEPT;

/** Reads the numbers of a .npy file in C order, whatever their type, byte order and order in the file are. They may be infinite or NaN. It
 *  can be called any number of times.
 *  @param[out] values  untouched if the call fails; @param[in] size the product of the extents
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_FORMAT.
 *  Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_array(const atp_input *input, double *values, int64_t size) ATP_NOEXCEPT;

/** Reads sequences, as atp_alignment_read(). It can be called any number of times.
 *  @param[in]  alphabet, options  (optional) as in atp_alignment_read()
 *  @return as atp_alignment_read(), except ATP_E_OPEN and ATP_E_READ
 *  Allocates: the alignment, and work space through the context, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_alignment(const atp_input *input, const char *alphabet, const atp_options *options,
                                       atp_alignment **out) ATP_NOEXCEPT;

/** Reads a model, as atp_model_read_as(). It can be called any number of times.
 *  @param[in]  alphabet  (optional) as in atp_model_read_as()
 *  @return as atp_model_read_as(), except ATP_E_OPEN and ATP_E_READ
 *  Allocates: the model, and work space through the context, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_model(const atp_input *input, atp_model_format format, const char *alphabet, atp_model **out) ATP_NOEXCEPT;

/** Returns the number of sites of a score file, for atp_input_scores(). @return ATP_OK; ATP_E_NULL; ATP_E_FORMAT.
 *  Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_scores_sites(const atp_input *input, int64_t *sites) ATP_NOEXCEPT;

/** Reads scores of pairs of sites, as atp_scores_read(). It can be called any number of times. If the call fails, the outputs are
 *  untouched.
 *  @param[out] scores    shape [L][L]; @param[in] size L * L, with L of atp_input_scores_sites()
 *  @param[out] numbers   (optional) numbers of the sites, shape [L]
 *  @param[out] residues  (optional) residues of the sites, L + 1 bytes
 *  @return as atp_scores_read(), except ATP_E_OPEN and ATP_E_READ
 *  Allocates: a buffer of the size of the scores, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_scores(const atp_input *input, double *scores, int64_t size, int64_t *numbers, char *residues) ATP_NOEXCEPT;

/** What a small table of text may hold. */
typedef enum atp_cells ATP_INT {
  ATP_CELLS_NUMBERS = 1, /**< numbers; the first line has the names of columns if no cell is like a number. # begins a comment anywhere */
  ATP_CELLS_NAMED = 2,   /**< any cells below a first line of names. # begins a comment at the start of a line */
  ATP_CELLS_LIST = 3     /**< the same if the first line has one of the names asked for, in any case; else each line is a cell */
} atp_cells;

/** Reads a small table as people, R, pandas and spreadsheets write them, and gives it as plain CSV. Packed by gzip it is unpacked; a UTF-8
 *  byte order mark is skipped; lines end with LF, CR LF or CR. All lines have the same separator: blanks and tabs, or commas, tabs or
 *  semicolons. Cells may be in quotes. Rows may have names before the first column, which are left out. In the CSV each line has the line
 *  of the row in the file, 0 for the names of columns, and then the cells in double quotes, in which quotes are doubled.
 *  @param[in]  form    an atp_cells
 *  @param[in]  names   (optional) for ATP_CELLS_LIST: names of columns, with commas between; NULL: none
 *  @param[out] text    (optional) shape [size]; NULL: only *needed is set
 *  @param[in]  size    size of text in bytes, at least *needed
 *  @param[out] needed  the number of bytes of the text, which has no final zero
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (form); ATP_E_FORMAT (no text in UTF-8; rows of different length; quotes without an end; with
 *          the line); ATP_E_TOO_LARGE; ATP_E_BUFFER (*needed is set, text is untouched); ATP_E_MEMORY
 *  Allocates: work space of the size of the text and 24 bytes for each line, freed before the call returns. Threads: one per context.
 *  Since: 0.1. */
ATP_API atp_status atp_input_table(const atp_input *input, atp_cells form, const char *names, char *text, int64_t size,
                                   int64_t *needed) ATP_NOEXCEPT;

/** Reads distances between sites, as atp_distances_read(). A .npy file may also hold the matrix of all columns of the alignment that the
 *  sites are columns of. It can be called any number of times. If the call fails, the outputs are untouched.
 *  @param[in]  numbers    (optional) shape [sites], as in atp_distances_read()
 *  @param[in]  columns    (optional) the column of each site, shape [sites], as from atp_model_columns_view(); NULL: a matrix has the sites
 *                         alone
 *  @param[in]  total      the number of columns, not read if columns is NULL
 *  @param[in]  sites      L, 2..65536
 *  @param[out] distances  shape [sites][sites], as in atp_distances_read()
 *  @param[out] counts     (optional) shape [2], as there
 *  @return as atp_distances_read(), except ATP_E_OPEN and ATP_E_READ; ATP_E_VALUE (a column out of range)
 *  Allocates: as atp_distances_read(). Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_input_distances(const atp_input *input, const int64_t *numbers, const int64_t *columns, int64_t total, int64_t sites,
                                       double *distances, int64_t *counts) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
