/* SPDX-License-Identifier: MIT */
/** @file alignment.h
 *  Sequences of equal length with weights: the output of samplers and the input of trainers.
 *
 *  An alignment holds N sequences of L sites, colours 0..q-1, as bytes [N][L], and a weight per sequence (1 unless set). It also holds the
 *  symbols of its colours and the names of its sequences if they are known. Sites have numbers and residues. One line describes the origin
 *  of the alignment.
 *
 *  Threads: const functions from any number of threads; setters from one thread while no other thread reads.
 */
#ifndef ATTOPOTTS_ALIGNMENT_H
#define ATTOPOTTS_ALIGNMENT_H

#include <attopotts/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Treatment of gaps, the first symbol of the alphabet. */
typedef enum atp_gaps ATP_INT {
  ATP_GAPS_STATE = 1, /**< a gap is a colour like the others */
  ATP_GAPS_IGNORE = 2 /**< a gap is missing: it is not predicted and has no couplings. The model has one colour less, and its alphabet
                           lacks the first symbol */
} atp_gaps;

/** Formats of alignment files; docs/formats.md has their rules. */
typedef enum atp_format ATP_INT {
  ATP_FORMAT_AUTO = 0,      /**< reading: detect by content first, then by name */
  ATP_FORMAT_HDF5 = 1,      /**< sequences, weights, names, alphabet, origin */
  ATP_FORMAT_FASTA = 2,     /**< sequences and names; all columns count */
  ATP_FORMAT_INTEGERS = 3,  /**< a sequence per line, 0-based numbers separated by single blanks */
  ATP_FORMAT_A2M = 4,       /**< records as in FASTA; insert columns (lower case and '.') are left out */
  ATP_FORMAT_A3M = 5,       /**< as A2M, but without '.' for inserts of other sequences */
  ATP_FORMAT_STOCKHOLM = 6, /**< Pfam, Rfam, HMMER; one or several blocks; "#=GC RF" tells insert columns, which are left out */
  ATP_FORMAT_ALN = 7,       /**< PSICOV, CCMpred: a sequence per line, no names */
  ATP_FORMAT_NAMED = 8,     /**< GREMLIN: name and sequence on a line */
  ATP_FORMAT_PAIRED = 9     /**< A3M of a complex of two proteins, as ColabFold writes it: two alignments, which a zero byte separates and
                                 which are joined row by row, or one with a first line "#L1,L2"; atp_alignment_border() has L1 */
} atp_format;

/** What a reader does with a symbol that is not in the alphabet. */
typedef enum atp_unknown ATP_INT {
  ATP_UNKNOWN_GAP = 1,  /**< replace it with a gap (the first symbol), and count it */
  ATP_UNKNOWN_DROP = 2, /**< leave the sequence out, and count it */
  ATP_UNKNOWN_ERROR = 3 /**< fail; the error text names file, line and symbol */
} atp_unknown;

/** Rules that decide whether two sequences of L columns that differ in d columns are neighbours. docs/formats.md lists the rule of each
 *  program. */
typedef enum atp_weight_rule ATP_INT {
  ATP_WEIGHTS_INCLUSIVE = 1, /**< d <= theta L: identity of at least 1 - theta (plmc, EVcouplings, ccmpred-py, adabmDCA.jl) */
  ATP_WEIGHTS_STRICT = 2,    /**< d < theta L: identity above 1 - theta (bmDCA, adabmDCApy, adabmDCAc, pydca, GREMLIN) */
  ATP_WEIGHTS_FLOOR = 3,     /**< d < floor(theta L) (PlmDCA.jl, AttentionDCA.jl, GaussDCA, CCMpred) */
  ATP_WEIGHTS_RESIDUES = 4   /**< d <= theta L over the columns where both sequences have a residue: colour 0, the gap, never counts.
                                  Sequences without such a column are no neighbours */
} atp_weight_rule;

/** Opaque alignment. */
typedef struct atp_alignment atp_alignment;

/* ---- Stable: what most programs need ---- */

/** Makes an alignment from bytes, which are copied.
 *  @param[in] sequences  shape [n][sites], values 0..colors-1
 *  @param[in] n, sites, colors  N >= 1, L >= 2, 2 <= q <= 255
 *  @param[in] weights    (optional) shape [n], >= 0 and not all 0; NULL: all 1
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n, sites, colors, a weight); ATP_E_ALPHABET (a colour >= q, with its sequence and site);
 *          ATP_E_NOT_FINITE (a weight); ATP_E_MEMORY
 *  Allocates: n * (sites + 8) + 9 * sites bytes and a header. Threads: one per context. Since: 0.1, stable. */
ATP_API atp_status atp_alignment_create(atp_context *context, const uint8_t *sequences, int64_t n, int64_t sites, int64_t colors,
                                        const double *weights, atp_alignment **out) ATP_NOEXCEPT;

/** Frees an alignment; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1, stable. */
ATP_API void atp_alignment_destroy(atp_alignment *alignment) ATP_NOEXCEPT;

/** Returns the number of sequences N; 0 for NULL. Allocates: no. Threads: any. Since: 0.1, stable. */
ATP_API int64_t atp_alignment_count(const atp_alignment *alignment) ATP_NOEXCEPT;

/** Sets each weight to the inverse number of similar sequences: w_n = 1 / #{m: m is a neighbour of n, or n}. Neighbours differ in at most a
 *  fraction theta of all columns; a gap equals a gap, except with ATP_WEIGHTS_RESIDUES. The weights do not depend on the number of threads.
 *  @param[in] theta  0..1; usually 0.2
 *  @param[in] rule   an atp_weight_rule, for differences near theta L
 *  @param[in] progress  (optional) called about every 0.1 s with STEP and TOTAL (groups of pairs of sequences that were compared, all of
 *                       them); @param[in] user passed on. A result that is not 0 stops the run: the weights are then as before
 *  @param[out] outcome  (optional) ATP_OUTCOME_CONVERGED or ATP_OUTCOME_CANCELLED
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (theta, rule); ATP_E_TOO_LARGE (more than 2^31 - 1 sequences); ATP_E_MEMORY; ATP_E_STAGE as in
 *          atp_alignment_set_weights(); ATP_E_CALLBACK; ATP_E_RANK
 *  Allocates: work space of about N (L + 4 threads) bytes. Threads: no other call; collective, parallel.
 *  Since: 0.1, stable. */
ATP_API atp_status atp_alignment_weigh(atp_alignment *alignment, double theta, atp_weight_rule rule, atp_progress_fn progress, void *user,
                                       atp_outcome *outcome) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Makes an alignment that reads the caller's bytes, which are not copied. They must stay as they are until the alignment is destroyed. For
 *  sequences that processes or programs share: shared memory (atp_mpi_share_bytes() in mpi.h), a mapped file, an array of the host.
 *  @param[in] sequences  shape [n][sites], values 0..colors-1
 *  @param[in] n, sites, colors  as in atp_alignment_create()
 *  @param[in] weights    (optional) shape [n], as in atp_alignment_create(); they are copied
 *  @return as atp_alignment_create()
 *  Allocates: 8 * n + 9 * sites bytes and a header. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_borrow(atp_context *context, const uint8_t *sequences, int64_t n, int64_t sites, int64_t colors,
                                        const double *weights, atp_alignment **out) ATP_NOEXCEPT;

/** Reads an alignment from text in memory, with the rules of atp_alignment_read() (attopotts_io.h). It reads the same formats except HDF5
 *  and gzip.
 *  @param[in] text      shape [size]; no final zero is needed
 *  @param[in] alphabet, options  (optional) as in atp_alignment_read()
 *  @return ATP_OK; ATP_E_NULL; ATP_E_FORMAT (with the line); ATP_E_ALPHABET; ATP_E_VALUE (size < 0; ATP_OPT_COLORS is 1; ATP_OPT_FORMAT is
 *          HDF5); ATP_E_CONFLICT (symbols without alphabet); ATP_E_MEMORY
 *  Allocates: the alignment; while reading, work space of about the text's size. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_parse(atp_context *context, const char *text, int64_t size, const char *alphabet,
                                       const atp_options *options, atp_alignment **out) ATP_NOEXCEPT;

/** Writes an alignment as text to memory: the bytes that atp_alignment_write() writes to a file, without a final zero.
 *  @param[in]  format  FASTA or integers
 *  @param[out] text    (optional) shape [size]; NULL: only *needed is set
 *  @param[in]  size    size of text in bytes, at least *needed
 *  @param[out] needed  the number of bytes of the text
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (format; a name with a control character); ATP_E_CONFLICT (FASTA without an alphabet);
 *          ATP_E_BUFFER (*needed is set, text is untouched)
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_alignment_format(const atp_alignment *alignment, atp_format format, char *text, int64_t size,
                                        int64_t *needed) ATP_NOEXCEPT;

/** Makes an alignment of selected sequences of another, with their weights and names. It keeps alphabet, numbers and residues of sites, and
 *  origin.
 *  @param[in] first, count, stride  sequences first, first + stride, ... (count of them), all within the source
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_MEMORY. Allocates: as create. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_select(atp_context *context, const atp_alignment *source, int64_t first, int64_t count, int64_t stride,
                                        atp_alignment **out) ATP_NOEXCEPT;

/** Makes an alignment of listed sequences of another, as atp_alignment_select(). Each keeps its weight.
 *  @param[in] rows  shape [n], their numbers 0..N-1, in any order; a number may occur several times
 *  @param[in] n     how many, >= 1
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (a number, n; all their weights are 0); ATP_E_MEMORY
 *  Allocates: as create, work space. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_take(atp_context *context, const atp_alignment *source, const int64_t *rows, int64_t n,
                                      atp_alignment **out) ATP_NOEXCEPT;

/** Makes an alignment of random sequences of another, in the order of the source, as atp_alignment_take(). Each keeps its weight.
 *  @param[in] n        how many, >= 1, and at most N without replacement
 *  @param[in] replace  1: each is drawn from all with probability 1 / N. With n = N this is a bootstrap sample, and sequences occur as
 *                      often as atp_alignment_resample() of this seed and the sample 0 counts them. 0: all sets of n sequences have the
 *                      same probability, and a set of fewer sequences with the same seed is a part of it, for learning curves
 *  @param[in] seed     >= 0
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n, replace, seed; all their weights are 0); ATP_E_TOO_LARGE (2^32 sequences); ATP_E_MEMORY
 *  Allocates: as create, work space. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_sample(atp_context *context, const atp_alignment *source, int64_t n, int replace, int64_t seed,
                                        atp_alignment **out) ATP_NOEXCEPT;

/** Returns the size in bytes of the state of an alignment; 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_alignment_state_bytes(const atp_alignment *alignment) ATP_NOEXCEPT;

/** Writes an alignment as bytes, to send to another process or to keep: sequences, weights, names, alphabet, origin, and the numbers,
 *  residues and columns of the sites. Layout in docs/formats.md; the same bytes on every machine.
 *  @param[out] buffer  at least atp_alignment_state_bytes() bytes; @param[in] size of the buffer in bytes
 *  @return ATP_OK; ATP_E_NULL; ATP_E_BUFFER; ATP_E_STAGE (the weights are being made). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_alignment_save_state(const atp_alignment *alignment, void *buffer, int64_t size) ATP_NOEXCEPT;

/** Makes the alignment whose bytes atp_alignment_save_state() wrote. Bytes that it cannot have written are refused before memory is
 *  requested for more than they hold.
 *  @param[in] buffer  shape [size], on any address; borrowed for the call; @param[in] size its bytes
 *  @return ATP_OK; ATP_E_NULL; ATP_E_FORMAT (no state, another version, cut short, or a value out of its bounds); ATP_E_CHECKSUM (damaged);
 *          ATP_E_MISMATCH (the state of something else); ATP_E_MEMORY. *out is NULL on failure
 *  Allocates: as create, work space. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_from_state(atp_context *context, const void *buffer, int64_t size, atp_alignment **out) ATP_NOEXCEPT;

/** Makes an alignment of the sequences of another with other names. It keeps weights, alphabet, numbers and residues of sites, and origin.
 *  @param[in] names  one a line, in the order of the sequences; the last line may lack its end
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE (not as many lines as sequences); ATP_E_VALUE (an empty line; a name with a blank or a control
 *          character); ATP_E_MEMORY. Allocates: as create. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_rename(atp_context *context, const atp_alignment *source, const char *names,
                                        atp_alignment **out) ATP_NOEXCEPT;

/** Finds a sequence by name. It is the only sequence with exactly this name, or else the only one with this name and a range,
 *  "NAME/12-170".
 *  @param[out] index  its number
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (no such name: the error text has the nearest one; or several)
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_alignment_find(const atp_alignment *alignment, const char *name, int64_t *index) ATP_NOEXCEPT;

/** Makes an alignment of the columns where one sequence, the focus, has a residue (a colour other than 0, the gap). It keeps all sequences.
 *  Sites are numbered by the residues of the focus, from the start in its name, "NAME/12-170", or from 1. Residues in insert columns and in
 *  columns that were removed before are counted, too. If the end in the name is smaller than the start, numbers count down. The residues of
 *  the sites are those of the focus if colours have symbols. If the range in the name does not match the number of residues, or
 *  the name ends with a range of another form (":12-170", "/12_170"), the log has a warning. A name with two ranges that have as many
 *  residues together as the sequence, "A/1-93_B/5-107", is that of two proteins: the second begins behind the residues of the first range
 *  (atp_alignment_border()), and its sites have the numbers of the second range plus the end of the first, here 93 + 5, ..., 93 + 107.
 *  @param[in] name as in atp_alignment_find()
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (no such name, several, or fewer than two columns); ATP_E_MEMORY.
 *  Allocates: the alignment, work space. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_focus(atp_context *context, const atp_alignment *source, const char *name,
                                       atp_alignment **out) ATP_NOEXCEPT;

/** Makes an alignment without gappy or duplicate sequences. It removes, in this order: sequences with too many gaps (colour 0), columns
 *  with too many gaps in the remaining sequences (weighted), and sequences equal to an earlier one in the remaining columns. Weights,
 *  names, and numbers and residues of sites are kept. The log reports what was removed.
 *  @param[in]  options (optional) of ATP_OWNER_FILTER
 *  @param[out] counts  (optional) number removed of each kind, in this order; @param[in] size its number of elements, 3
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE (size); ATP_E_VALUE (fewer than two columns, or no sequence of positive weight would remain);
 *          ATP_E_MEMORY
 *  Allocates: the alignment, work space. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_alignment_filter(atp_context *context, const atp_alignment *source, const atp_options *options, int64_t *counts,
                                        int64_t size, atp_alignment **out) ATP_NOEXCEPT;

/** Makes an alignment without similar sequences, as hhfilter -id does. Of two sequences the identity is the share of equal residues among
 *  the columns where both have one (a colour other than 0, the gap); without such columns it is 0. The first sequence is kept; the others
 *  come in descending order of their numbers of residues, those with as many in the order of the alignment. Each is kept unless its
 *  identity with one that is kept is larger than the limit. The kept sequences stay in their order, with weights, names, and numbers and
 *  residues of sites. To learn a model, weights (atp_alignment_weigh()) are better: they count similar sequences less, but lose none.
 *  @param[in] identity  the limit, 0..1; 1 keeps all
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (identity; no sequence of positive weight would remain); ATP_E_NOT_FINITE; ATP_E_TOO_LARGE
 *          (above 2^31 - 1 sequences); ATP_E_MEMORY
 *  Allocates: the alignment, work space of about the sequences and 4 bytes for each of them and each thread. Time: proportional to N
 *  times the number of kept sequences times L. Threads: one per context, parallel. Since: 0.1. Source: M. Steinegger et al., BMC
 *  Bioinformatics 20, 473 (2019). */
ATP_API atp_status atp_alignment_filter_identity(atp_context *context, const atp_alignment *source, double identity,
                                                 atp_alignment **out) ATP_NOEXCEPT;

/** Returns the context that the alignment was made from; NULL for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_context *atp_alignment_context(const atp_alignment *alignment) ATP_NOEXCEPT;
/** Returns the number of sites L; 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_alignment_sites(const atp_alignment *alignment) ATP_NOEXCEPT;
/** Returns the number of colours q; 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_alignment_colors(const atp_alignment *alignment) ATP_NOEXCEPT;
/** Returns the sum of the weights, the effective number of sequences; 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API double atp_alignment_effective_count(const atp_alignment *alignment) ATP_NOEXCEPT;

/** Returns the sequences, shape [N][L], valid as long as the alignment lives; NULL for NULL.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API const uint8_t *atp_alignment_sequences_view(const atp_alignment *alignment) ATP_NOEXCEPT;
/** Returns the weights, shape [N], valid as long as the alignment lives; NULL for NULL.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API const double *atp_alignment_weights_view(const atp_alignment *alignment) ATP_NOEXCEPT;

/** Sets the weights. @param[in] weights shape [n], >= 0, not all 0; @param[in] n must be N
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE; ATP_E_NOT_FINITE;
 *          ATP_E_STAGE (a trainer reads the alignment and keeps sums of its weights; or a callback of atp_alignment_weigh() makes the
 *          call: it must not change the alignment, by none of the functions that set something).
 *  Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API atp_status atp_alignment_set_weights(atp_alignment *alignment, const double *weights, int64_t n) ATP_NOEXCEPT;

/** Computes the weights of a bootstrap sample: N sequences are drawn with replacement, and each has its weight as often as it was drawn.
 *  Draws are a function of the seed, the number of the sample and the place in it (Philox). To get errors, compute on each of 10 or more
 *  samples what was computed on the alignment, and summarise it with atp_bootstrap_errors() (diagnostics.h).
 *  @param[in]  seed, sample  >= 0
 *  @param[out] weights  shape [n]; @param[in] n must be N
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE. Allocates: no. Threads: any. Since: 0.1. Source: B. Efron, Ann. Statist. 7, 1
 *  (1979). */
ATP_API atp_status atp_alignment_resample(const atp_alignment *alignment, int64_t seed, int64_t sample, double *weights,
                                          int64_t n) ATP_NOEXCEPT;

/** Computes the theta that plmDCA and PlmDCA.jl choose: min(0.5, 0.1216 / mean fraction of identical columns of two sequences).
 *  @param[out] theta
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (a single sequence). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_alignment_auto_theta(const atp_alignment *alignment, double *theta) ATP_NOEXCEPT;

/** Returns the symbols of the colours 0..q-1 as text of length q; "" if they are not known.
 *  @return a string that lives as long as the alignment, or until atp_alignment_set_alphabet(). Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_alignment_alphabet(const atp_alignment *alignment) ATP_NOEXCEPT;

/** Sets the symbols of the colours: "protein", "rna", "dna", or exactly q different printable symbols; "" for none.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE (not q symbols); ATP_E_ALPHABET (a symbol twice or not printable, or '>').
 *  Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API atp_status atp_alignment_set_alphabet(atp_alignment *alignment, const char *symbols) ATP_NOEXCEPT;

/** Returns the numbers of the sites in the user's numbering, shape [L]: 1..L unless set. If a focus sequence gave the columns, they are its
 *  residue numbers.
 *  @return an array that lives as long as the alignment; NULL for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const int64_t *atp_alignment_site_numbers_view(const atp_alignment *alignment) ATP_NOEXCEPT;

/** Returns the residues of the sites as text of length L, those of the focus sequence; "" if there is none.
 *  @return a string that lives as long as the alignment. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_alignment_site_residues(const atp_alignment *alignment) ATP_NOEXCEPT;

/** Sets the numbers and residues of the sites. Selections, trainers and files keep them; no result depends on them.
 *  @param[in] numbers  (optional) shape [n], at most 2^53 in magnitude; NULL: 1..L
 *  @param[in] n        must be L
 *  @param[in] residues (optional) L printable characters, not blank; they need not be in the alphabet; NULL or "": none
 *  @return ATP_OK; ATP_E_NULL (alignment); ATP_E_SHAPE (n, or the length of residues); ATP_E_VALUE (a number); ATP_E_ALPHABET (a residue).
 *  Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API atp_status atp_alignment_set_sites(atp_alignment *alignment, const int64_t *numbers, int64_t n, const char *residues) ATP_NOEXCEPT;

/** Returns the name of a sequence (its FASTA header up to the first blank); "" if it has none or the index is out of range.
 *  @return a string that lives as long as the alignment. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_alignment_name(const atp_alignment *alignment, int64_t index) ATP_NOEXCEPT;

/** Returns one line on the origin of the sequences, for example "protocol=equilibrium beta=1.9 seed=1"; "" if nothing is known.
 *  @return a string that lives as long as the alignment. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_alignment_origin(const atp_alignment *alignment) ATP_NOEXCEPT;

/** Sets the origin line; at most 1023 bytes are kept. @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (a control character, such as a line end).
 *  Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API atp_status atp_alignment_set_origin(atp_alignment *alignment, const char *text) ATP_NOEXCEPT;

/** Computes weighted frequencies f_i(a) = sum_n w_n [s_ni = a] / sum_n w_n, mixed with a pseudocount: (1 - c) f + c / q.
 *  @param[in]  pseudocount  c in [0, 1]
 *  @param[out] frequencies  shape [L][q]; @param[in] size its number of elements, L * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_alignment_frequencies(const atp_alignment *alignment, double pseudocount, double *frequencies,
                                             int64_t size) ATP_NOEXCEPT;

/** Computes weighted frequencies among the residues alone: colour 0, the gap, is left out, and the frequencies of the others at a site, as
 *  above without pseudocount, are divided by their sum.
 *  @param[out] frequencies  shape [L][q - 1]; NaN at a site where no sequence has another colour; @param[in] size L * (q - 1)
 *  @return as atp_alignment_frequencies(). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_alignment_residue_frequencies(const atp_alignment *alignment, double *frequencies, int64_t size) ATP_NOEXCEPT;

/** Computes weighted pair frequencies f_ij(a, b) = sum_n w_n [s_ni = a][s_nj = b] / sum_n w_n, mixed with a pseudocount:
 *  (1 - c) f + c / q^2 for i != j. f_ii(a, b) is diagonal and holds f_i(a) of atp_alignment_frequencies().
 *  @param[out] pairs  shape [L][L][q][q]; @param[in] size L * L * q * q
 *  @return as atp_alignment_frequencies(). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_alignment_pair_frequencies(const atp_alignment *alignment, double pseudocount, double *pairs,
                                                  int64_t size) ATP_NOEXCEPT;

/** Computes weighted covariances C_ij(a, b) = f_ij(a, b) - f_i(a) f_j(b) of the frequencies of the two functions above with this
 *  pseudocount.
 *  @param[out] covariances  shape [L][L][q][q]; @param[in] size L * L * q * q
 *  @return as atp_alignment_frequencies(). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_alignment_covariances(const atp_alignment *alignment, double pseudocount, double *covariances,
                                             int64_t size) ATP_NOEXCEPT;

/** Computes the loss of the site-independent model with given frequencies, in nats per site: the weighted mean of -log f_i(s_ni). A model
 *  with couplings should have a smaller loss.
 *  @param[in] frequencies shape [L][q], > 0 where a colour occurs; @param[in] size L * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE; ATP_E_NOT_FINITE. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_alignment_independent_loss(const atp_alignment *alignment, const double *frequencies, int64_t size,
                                                  double *loss) ATP_NOEXCEPT;

/** Computes the conservation of each site: 1 - S_i / log q, with S_i = -sum_a f_i(a) log f_i(a) and the frequencies of
 *  atp_alignment_frequencies() without pseudocount: 0 where all colours are equally frequent, 1 where one has all.
 *  @param[in]  gaps          an atp_gaps. ATP_GAPS_IGNORE: colour 0 is left out, frequencies are those among the others, and q is one less;
 *                            NaN at a site where no sequence has another colour
 *  @param[out] conservation  shape [L]; @param[in] size L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE (gaps; colour 0 to be left out of two). Allocates: no. Threads: any. Since: 0.1.
 *  Source: T. D. Schneider, R. M. Stephens, Nucleic Acids Res. 18, 6097 (1990). */
ATP_API atp_status atp_alignment_conservation(const atp_alignment *alignment, atp_gaps gaps, double *conservation,
                                              int64_t size) ATP_NOEXCEPT;

/** Numbers of atp_alignment_summary(). Gaps are those of atp_alignment_gap_color(); without a gap their numbers are 0. */
typedef enum atp_summary ATP_INT {
  ATP_SUMMARY_DUPLICATES = 0,   /**< sequences equal to an earlier one */
  ATP_SUMMARY_GAPS = 1,         /**< fraction of gaps among all symbols, without weights */
  ATP_SUMMARY_COLUMNS_90 = 2,   /**< columns where sequences with more than 90 per cent of the summed weights have a gap */
  ATP_SUMMARY_COLUMNS_50 = 3,   /**< columns where sequences with more than half of the summed weights have a gap */
  ATP_SUMMARY_SEQUENCES_50 = 4, /**< sequences with gaps at more than half of the sites */
  ATP_SUMMARY_VARYING = 5,      /**< columns in which not all sequences have the same colour; fewer than two have no correlations */
  ATP_SUMMARY_PER_SITE = 6,     /**< N_eff / L, N_eff the effective number of sequences, atp_alignment_effective_count() */
  ATP_SUMMARY_PER_ROOT = 7,     /**< N_eff / sqrt(L) */
  ATP_SUMMARY_CONTACTS = 8,     /**< an atp_level: what to expect of the best L pairs of sites as contacts, by N_eff / sqrt(L): good from 64
                                    on, fair from 16, poor from 4, below none */
  ATP_SUMMARY_MUTATIONS = 9     /**< an atp_level: what couplings can add to independent sites for effects of mutations, by N_eff / L: good
                                    from 10 on, fair from 1, below poor */
} atp_summary;
/** Number of numbers of atp_summary. */
#define ATP_SUMMARY_NUMBERS 10

/** How much an alignment can teach. */
typedef enum atp_level ATP_INT {
  ATP_LEVEL_NONE = 0, /**< no better than chance */
  ATP_LEVEL_POOR = 1,
  ATP_LEVEL_FAIR = 2,
  ATP_LEVEL_GOOD = 3
} atp_level;

/** Returns the name of an atp_level in lower case, for example "good". Any int is allowed.
 *  @return a static string. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_level_name(int level) ATP_NOEXCEPT;

/** Counts what decides whether an alignment can teach a model: equal sequences, gaps, fragments, different sequences. Levels mean something
 *  for weights that count similar sequences as one (atp_alignment_weigh()). See also the clusters of relatives of atp_select_folds().
 *  @param[out] numbers  shape [ATP_SUMMARY_NUMBERS], by atp_summary; @param[in] size ATP_SUMMARY_NUMBERS
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_MEMORY. Allocates: work space through the context, at most about 80 bytes for each
 *  sequence and 32 for each site, freed before the call returns. Threads: one per context. Since: 0.1. Source: S. Ovchinnikov et al.,
 *  Science 355, 294 (2017), for contacts; T. Hopf et al., Nat. Biotechnol. 35, 128 (2017), for mutations. */
ATP_API atp_status atp_alignment_summary(const atp_alignment *alignment, double *numbers, int64_t size) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
