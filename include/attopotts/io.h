/* SPDX-License-Identifier: MIT */
/** @file io.h
 *  Reads and writes files of models, alignments and saved states; docs/formats.md describes their layouts. The functions are in the
 *  library attopotts_io.
 *
 *  Regular files are replaced safely: the library writes a temporary file beside the target, flushes it to the disk and renames it. After a
 *  crash, a full disk or kill -9 the old file is still complete. Permissions are kept, and owner and group if the system allows it.
 *  Symbolic links are followed, also links to files that do not exist yet. Other hard links of the old file keep the old content. A device,
 *  a pipe and "-" are written to directly. A path to a descriptor of the process (/dev/stdout, /dev/fd/N, /proc/self/fd/N) is written
 *  through that descriptor, from its current position. HDF5 is written only to regular files, by name. HDF5 needs a build with it; without
 *  it, those calls return ATP_E_UNSUPPORTED.
 *
 *  Input is opened once and read once: pipes, sockets, "-" and a shell's <(...) give the same result as a regular file. If you do not know
 *  what a file holds, use input.h.
 *
 *  Threads: one thread at a time per file; HDF5 calls of one process one at a time.
 */
#ifndef ATTOPOTTS_IO_H
#define ATTOPOTTS_IO_H

#include <attopotts/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Stable: what most programs need ---- */

/** Reads an alignment from a file. Formats: HDF5 (of this library, or a dataset 'sequences' alone), FASTA, A2M, A3M, Stockholm, one
 *  sequence per line (PSICOV), name and sequence per line (GREMLIN), and a matrix of whole numbers (one sequence per line, separated by
 *  blanks or commas, 0-based). Any of them may be packed by gzip.
 *  The content decides the format, then the file name; ATP_OPT_FORMAT overrides both. docs/formats.md has the rules. CRLF is accepted;
 *  lines and files may be of any length; "-" is standard input. In A2M and A3M insert columns (lower case and ".") are left out. In other
 *  formats "." is a gap if the alphabet has "-" and no ".", and lower case is upper case if the alphabet has no lower case.
 *  In an alphabet of nucleotides T counts as U, or U as T.
 *  @param[in] path
 *  @param[in] alphabet  "protein" (-ACDEFGHIKLMNPQRSTVWY), "rna" (-ACGU), "dna" (-ACGT), or the symbols themselves, first the gap. Needed
 *                       for symbols, ignored for numbers and HDF5; NULL: none
 *  @param[in] options   (optional) of ATP_OWNER_ALIGNMENT
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPEN; ATP_E_READ; ATP_E_FORMAT (with file and line); ATP_E_ALPHABET; ATP_E_VALUE (ATP_OPT_COLORS is
 *          1); ATP_E_CONFLICT (symbols without alphabet); ATP_E_UNSUPPORTED (HDF5 or gzip in a build without it); ATP_E_MEMORY
 *  If no sequence or no symbol would remain, the call returns ATP_E_FORMAT; the text has the first symbol that is not in the alphabet. The
 *  log reports, with counts: unknown symbols that became gaps, sequences that were dropped, symbols of insert columns, records that are no
 *  sequences, T read as U, names that occur twice, and columns that contain only gaps.
 *  Allocates: the alignment; while reading, buffers of about the file's unpacked size. Threads: one per context. Since: 0.1, stable. */
ATP_API atp_status atp_alignment_read(atp_context *context, const char *path, const char *alphabet, const atp_options *options,
                                      atp_alignment **out) ATP_NOEXCEPT;

/** Writes a model as HDF5. @return ATP_OK; ATP_E_NULL; ATP_E_OPEN; ATP_E_WRITE; ATP_E_UNSUPPORTED.
 *  Allocates: as much as the file through the context, and work space inside HDF5, freed before the call returns.
 *  Threads: one per context. Since: 0.1, stable. */
ATP_API atp_status atp_model_write(atp_context *context, const atp_model *model, const char *path) ATP_NOEXCEPT;

/** Reads a model of any format, as atp_model_read_as() with ATP_MODEL_AUTO and no alphabet.
 *  A .npy file of couplings C_ij(a, b), an array [L][L][q][q] of NumPy, becomes a dense model without fields, beta = 1.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPEN; ATP_E_READ; ATP_E_FORMAT (not a model, truncated, damaged, wrong shapes); ATP_E_NOT_FINITE;
 *          ATP_E_CONFLICT; ATP_E_MEMORY; ATP_E_UNSUPPORTED.
 *  Allocates: the model, and work space as atp_model_read_as() or inside HDF5. Threads: one per context. Since: 0.1, stable. */
ATP_API atp_status atp_model_read(atp_context *context, const char *path, atp_model **out) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Reads the sequences of one part of a file, for processes that each train on a part (atp_trainer_set_reduction()) or for a file that does
 *  not fit into memory. The part has the records that begin in bytes size * part / parts to size * (part + 1) / parts - 1 of the file. So
 *  each record is in exactly one part, in the order of the file. The call reads about as many bytes, wherever they are, and is not
 *  collective. The first sequence of the part gives L: compare L between parts. Lines in error texts count from the beginning of the part.
 *  FASTA, A2M and A3M are read in parts. Records with lower case or "." need ATP_OPT_FORMAT or a name that ends in .a2m or .a3m, because a
 *  part does not show whether these symbols are insert columns.
 *  @param[in] path             a regular file, not packed
 *  @param[in] part, parts      0..parts-1, 1..2^30
 *  @param[in] alphabet         as in atp_alignment_read()
 *  @param[in] options          (optional) as in atp_alignment_read()
 *  @return as atp_alignment_read(), and ATP_E_VALUE (part, parts; no record begins in the part; ATP_OPT_FORMAT is another format);
 *          ATP_E_OPEN (not a regular file); ATP_E_FORMAT (another format, gzip; lower case or "." without a format)
 *  Allocates: the alignment; while reading, buffers of about the part's size. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_read_part(atp_context *context, const char *path, int64_t part, int64_t parts, const char *alphabet,
                                           const atp_options *options, atp_alignment **out) ATP_NOEXCEPT;

/** Writes an alignment. Where the name ends in .gz, gzip packs the text; the same alignment makes the same bytes. In A2M and A3M all
 *  columns are match columns: insert columns were left out when the sequences were read. In Stockholm the first word of a name is the name,
 *  and the rest its "#=GS DE", which readers pass over.
 *  @param[in] format HDF5, FASTA, integers, A2M, A3M or Stockholm
 *  @param[in] path "-" for standard output (not HDF5)
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (format; a name with a control character; in Stockholm equal names or one that is a comment);
 *          ATP_E_CONFLICT (no alphabet, of integers and HDF5 excepted; A2M and A3M with lower case or "." in the alphabet); ATP_E_OPEN;
 *          ATP_E_WRITE; ATP_E_UNSUPPORTED (HDF5, or .gz without zlib)
 *  Allocates: work space through the context (for HDF5 as much as the file, for .gz none) and inside HDF5 and zlib, freed before the call
 *  returns.
 *  Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_write(atp_context *context, const atp_alignment *alignment, atp_format format,
                                       const char *path) ATP_NOEXCEPT;

/** Formats of model files. Those of other tools hold couplings of pairs of sites i < j and fields, without a temperature, in any gauge.
 *  Written are J_ij(a, b) = beta (C_ij(a, b) + C_ji(b, a)) / 2 and h_i(a) = beta b_i(a). The log has a warning if the couplings are not
 *  symmetric. Heads become dense. A file of another tool is read as a dense model with fields and beta = 1. */
typedef enum atp_model_format ATP_INT {
  ATP_MODEL_AUTO = 0,    /**< reading only: detect the format from the content */
  ATP_MODEL_HDF5 = 1,    /**< the format of this library: everything */
  ATP_MODEL_PLMC = 2,    /**< plmc's binary format, float32: versions 1 and 2 are read, 2 is written; with numbers and residues of
                              sites */
  ATP_MODEL_CCMPRED = 3, /**< CCMpred's raw text: proteins only; it has no field of the gap, so fields are shifted */
  ATP_MODEL_ADABM = 4,   /**< text of the adabmDCA family, `J i j a b value` and `h i a value` with letters */
  ATP_MODEL_BMDCA = 5,   /**< the same with integers, as in bmDCA */
  ATP_MODEL_GREMLIN = 6, /**< GREMLIN's text, `V[i] fields` and `W[i][j] couplings`: proteins, RNA and DNA, or the symbols 0, 1 */
  ATP_MODEL_BRAW = 7 /**< the msgpack of CCMpred (-b) and CCMgen: the numbers of ATP_MODEL_CCMPRED in float64, float32 is read, too; needs
                              a build with msgpack */
} atp_model_format;

/** Writes a model in one of these formats.
 *  @param[in] alignment  (optional) the training alignment, for ATP_MODEL_PLMC, whose files hold frequencies and weights. It has the
 *                        model's sites and colours, or one colour more, the gap, at the beginning (frequencies are then relative to the
 *                        residues)
 *  @param[in] format     not ATP_MODEL_AUTO
 *  @param[in] path       "-" for standard output (not HDF5)
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (format, or a number that float32 or int32 cannot hold); ATP_E_CONFLICT (the format needs an
 *          alphabet or alignment that is missing, or the alphabet of proteins; alphabets differ); ATP_E_SHAPE (of the alignment);
 *          ATP_E_OPEN; ATP_E_WRITE; ATP_E_UNSUPPORTED
 *  Allocates: work space through the context, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_model_write_as(atp_context *context, const atp_model *model, const atp_alignment *alignment, atp_model_format format,
                                      const char *path) ATP_NOEXCEPT;

/** Reads a model in one of these formats.
 *  @param[in] path      "-" is standard input
 *  @param[in] alphabet  (optional) for text with letters or integers: "protein", "rna", "dna" or the symbols. Needed for letters, unless
 *                       they are those of one of these three; the other formats ignore it
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (format); ATP_E_OPEN; ATP_E_READ; ATP_E_FORMAT (with line or byte); ATP_E_NOT_FINITE;
 *          ATP_E_ALPHABET; ATP_E_CONFLICT (letters of no named alphabet); ATP_E_MEMORY; ATP_E_UNSUPPORTED
 *  Allocates: the model; while reading, a buffer of the file's size. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_model_read_as(atp_context *context, const char *path, atp_model_format format, const char *alphabet,
                                     atp_model **out) ATP_NOEXCEPT;

/** Formats of score files. */
typedef enum atp_score_format ATP_INT {
  ATP_SCORES_CCMPRED = 1,    /**< CCMpred's: L lines of L numbers, as "%.20e" and a tab */
  ATP_SCORES_PLMC = 2,       /**< plmc's: a line `i A j B 0 score` for each pair, with numbers and residues of sites; six decimals */
  ATP_SCORES_EVCOUPLINGS = 3 /**< EVcouplings' CSV: a line of names, then `i,A_i,j,A_j,fn,cn` for each pair, the best first; cn is the
                                  score with all digits, fn 0 */
} atp_score_format;

/** Writes scores of pairs of sites.
 *  @param[in] scores    shape [L][L], finite, symmetric as in scores.h; lists of pairs use i < j
 *  @param[in] sites     L, 2..65536
 *  @param[in] numbers   (optional) numbers of the sites, for lists of pairs, shape [L]; NULL: 1..L
 *  @param[in] residues  (optional) residues of the sites, for lists of pairs, text of length L; NULL or "": "-" is written for each
 *  @param[in] path      "-" for standard output
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE; ATP_E_NOT_FINITE; ATP_E_SYMMETRY; ATP_E_ALPHABET (residues); ATP_E_OPEN;
 *          ATP_E_WRITE
 *  Allocates: a buffer, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_scores_write(atp_context *context, const double *scores, int64_t sites, const int64_t *numbers, const char *residues,
                                    atp_score_format format, const char *path) ATP_NOEXCEPT;

/** Returns the number of sites of a score file, for atp_scores_read(). @return ATP_OK; ATP_E_NULL; ATP_E_OPEN; ATP_E_READ; ATP_E_FORMAT.
 *  Allocates: a buffer of the file's size, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_scores_sites(atp_context *context, const char *path, int64_t *sites) ATP_NOEXCEPT;

/** Reads scores of pairs of sites. The content decides the format. If the call fails, the outputs are untouched.
 *  @param[out] scores    shape [L][L], symmetric as in scores.h; with a zero diagonal if the file has pairs
 *  @param[in]  size      L * L, with L of atp_scores_sites()
 *  @param[out] numbers   (optional) numbers of the sites, shape [L], ascending; 1..L if the file has none
 *  @param[out] residues  (optional) residues of the sites, L + 1 bytes; "" if the file has none
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_OPEN; ATP_E_READ; ATP_E_FORMAT (with the line); ATP_E_NOT_FINITE; ATP_E_SYMMETRY;
 *          ATP_E_MEMORY
 *  Allocates: buffers of the size of the file and of the scores, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_scores_read(atp_context *context, const char *path, double *scores, int64_t size, int64_t *numbers,
                                   char *residues) ATP_NOEXCEPT;

/** Reads distances between sites. Lines are `i j d` or `i j x d`, all of one kind: the numbers of two sites, an ignored word x, and a
 *  distance; or a first line names the columns, with i, j and d (or distance) among them. The table is as for atp_input_table() with
 *  ATP_CELLS_NUMBERS: with blanks, tabs, commas or semicolons, with quotes, packed by gzip; numpy.savetxt writes such lines. A .npy file
 *  holds the same rows (3 or 4 columns), or a matrix of L x L with NaN for unknown distances, in the order of the sites, symmetric as in
 *  scores.h; of both elements of a pair the smaller counts. Pairs with a number that is not a site's, and pairs i = j, are ignored. If a
 *  pair has several distances, the smallest is used.
 *  @param[in]  path       "-" is standard input
 *  @param[in]  numbers    (optional) numbers of the sites, shape [L], all different; NULL: 1..L
 *  @param[in]  sites      L, 2..65536
 *  @param[out] distances  shape [L][L], symmetric, 0 on the diagonal, NaN for pairs that are not in the file; @param[in] size L * L
 *  @param[out] counts     (optional) shape [2]: lines with two different numbers; those of them whose numbers are both sites
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE; ATP_E_OPEN; ATP_E_READ; ATP_E_FORMAT (with file and line); ATP_E_SYMMETRY;
 *          ATP_E_MEMORY
 *  Allocates: a buffer of about the file's size, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_distances_read(atp_context *context, const char *path, const int64_t *numbers, int64_t sites, double *distances,
                                      int64_t size, int64_t *counts) ATP_NOEXCEPT;

/** Determines the content of a regular file, as a string of atp_input_kind(). Pipes and other files that can be read only once are not
 *  read: see atp_input_open().
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPEN (also: not a regular file); ATP_E_READ; ATP_E_FORMAT (a zero byte in a text); ATP_E_MEMORY. *kind
 *          is a static string.
 *  Allocates: 64 KiB through the context, and memory inside HDF5, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_file_kind(atp_context *context, const char *path, const char **kind) ATP_NOEXCEPT;

/** Writes bytes to a file by the rules of this header. It is meant for the states of samplers and trainers.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (size < 0); ATP_E_OPEN; ATP_E_WRITE. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_file_write(atp_context *context, const char *path, const void *bytes, int64_t size) ATP_NOEXCEPT;

/** Supplies the next part of a file to atp_file_write_parts(). Called in the thread that made the call of this API, with no lock held; must
 *  not longjmp.
 *  @param[out] bytes  the part, which is read before the next call
 *  @return its number of bytes; 0: the file is complete; negative: ends the call with ATP_E_CALLBACK */
typedef int64_t (*atp_part_fn)(const void **bytes, void *user);

/** Writes a file by the rules of this header, part by part, so that it need not be in memory. An older file is unchanged if the call fails.
 *  @param[in] next  returns the parts in their order
 *  @param[in] user  passed to next
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPEN; ATP_E_WRITE; ATP_E_CALLBACK. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_file_write_parts(atp_context *context, const char *path, atp_part_fn next, void *user) ATP_NOEXCEPT;

/** Checks whether a file can be written by the rules of this header. It makes and removes a temporary file beside the target. It does not
 *  open devices and pipes.
 *  @param[out] replaced  (optional) 1: a regular file, which every write replaces completely; 0: bytes are appended to the existing content
 *  @return ATP_OK; ATP_E_NULL (path); ATP_E_OPEN (with the reason). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_file_writable(const char *path, int *replaced) ATP_NOEXCEPT;

/** Returns the size of a regular file in bytes. @return ATP_OK; ATP_E_NULL; ATP_E_OPEN (also: not a regular file).
 *  Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_file_size(atp_context *context, const char *path, int64_t *size) ATP_NOEXCEPT;

/** Reads a whole file. @param[out] bytes untouched unless the whole file was read; @param[in] size as returned by atp_file_size()
 *  @return ATP_OK; ATP_E_NULL; ATP_E_OPEN; ATP_E_READ (the file has another size); ATP_E_MEMORY.
 *  Allocates: a buffer of the file's size, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_file_read(atp_context *context, const char *path, void *bytes, int64_t size) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
