/* SPDX-License-Identifier: MIT */
/** @file table.h
 *  Tables of results: rows of doubles under named columns. Tasks, trainers, tuning and contacts fill them.
 *
 *  The kind of a table fixes its columns. The columns of a kind have numbers, the enums atp_..._column. Each column has a name (for example
 *  "eg_sem"), a unit and a one-line description, which can be queried without a table. A table is created with room for a number of rows.
 *  Appending never allocates. If the rows do not fit, the call returns ATP_E_BUFFER, and the error text has the number of rows needed.
 *
 *  Threads: a table belongs to one thread at a time; functions without a table are always safe.
 */
#ifndef ATTOPOTTS_TABLE_H
#define ATTOPOTTS_TABLE_H

#include <attopotts/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque table. */
typedef struct atp_table atp_table;

/** Kinds of tables. */
typedef enum atp_table_kind ATP_INT {
  ATP_TABLE_REPLICA_CURVE = 1,       /**< atp_replica_column */
  ATP_TABLE_REPLICA_SIMULATION = 2,  /**< atp_replica_sim_column */
  ATP_TABLE_DOTATTN_CURVE = 3,       /**< atp_dotattn_column */
  ATP_TABLE_DOTATTN_TRANSITION = 4,  /**< atp_dotattn_transition_column */
  ATP_TABLE_DOTATTN_TOKENS = 5,      /**< atp_dotattn_tokens_column */
  ATP_TABLE_DOTATTN_SIMULATION = 6,  /**< atp_dotattn_sim_column */
  ATP_TABLE_TRAINING_LOG = 7,        /**< atp_training_column */
  ATP_TABLE_TUNING = 8,              /**< atp_tuning_column */
  ATP_TABLE_CONTACTS = 9,            /**< atp_contacts_column */
  ATP_TABLE_SAMPLING = 10,           /**< atp_sampling_column */
  ATP_TABLE_PARTITION = 40,          /**< atp_partition_column */
  ATP_TABLE_RUNGS = 61,              /**< atp_rungs_column */
  ATP_TABLE_OVERLAPS = 62,           /**< atp_overlaps_column */
  ATP_TABLE_TRAJECTORY = 50,         /**< atp_trajectory_column */
  ATP_TABLE_FORGETTING = 51,         /**< atp_forgetting_column */
  ATP_TABLE_DOTATTN_DYNAMICS = 11,   /**< atp_dotattn_dynamics_column */
  ATP_TABLE_DOTATTN_TRAJECTORY = 12, /**< atp_dotattn_trajectory_column */
  ATP_TABLE_SELECTION = 20,          /**< atp_selection_column */
  ATP_TABLE_MEASURED = 21,           /**< atp_measured_column */
  ATP_TABLE_QUALITY = 52,            /**< atp_quality_column */
  ATP_TABLE_DISTANCES = 53,          /**< atp_distances_column */
  ATP_TABLE_ASYMPTOTICS = 54,        /**< atp_asymptotics_column */
  ATP_TABLE_WEIGHTS = 28             /**< atp_weights_column */
} atp_table_kind;

/* ---- Stable: what most programs need ---- */

/** Makes a table without rows. @param[in] capacity largest number of rows, 0 or more
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_TOO_LARGE; ATP_E_MEMORY. Allocates: atp_table_bytes(). Threads: one per context.
 *          Since: 0.1, stable. */
ATP_API atp_status atp_table_create(atp_context *context, atp_table_kind kind, int64_t capacity, atp_table **out) ATP_NOEXCEPT;

/** Frees a table; NULL is allowed. No trainer or task may still append to it. Allocates: no. Threads: no other call. Since: 0.1, stable. */
ATP_API void atp_table_destroy(atp_table *table) ATP_NOEXCEPT;

/** Returns a column by its name. @param[out] values shape [rows]; @param[in] size rows
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (name); ATP_E_SHAPE. Allocates: no. Threads: one per handle. Since: 0.1, stable. */
ATP_API atp_status atp_table_column(const atp_table *table, const char *name, double *values, int64_t size) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Computes the memory that atp_table_create() will allocate, in bytes. @param[in] capacity rows, 0 or more; @param[out] bytes
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_TOO_LARGE. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_table_bytes(atp_table_kind kind, int64_t capacity, int64_t *bytes) ATP_NOEXCEPT;

/** Returns the context that the table was made from; NULL for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_context *atp_table_context(const atp_table *table) ATP_NOEXCEPT;
/** Returns the kind of a table, an atp_table_kind; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int atp_table_kind_of(const atp_table *table) ATP_NOEXCEPT;
/** Returns the number of rows; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_table_rows(const atp_table *table) ATP_NOEXCEPT;
/** Returns the number of columns; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_table_columns(const atp_table *table) ATP_NOEXCEPT;
/** Returns the largest number of rows that the table can hold; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_table_capacity(const atp_table *table) ATP_NOEXCEPT;

/** Removes all rows. @return ATP_OK; ATP_E_NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_table_clear(atp_table *table) ATP_NOEXCEPT;

/** Returns the number of columns of a kind; 0 for an unknown kind. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_column_count(int kind) ATP_NOEXCEPT;
/** Returns the name of a column, for example "eg". @param[in] kind an atp_table_kind; @param[in] column 0, 1, ...
 *  @return a static string; NULL for other numbers. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_column_name(int kind, int column) ATP_NOEXCEPT;
/** Returns the unit of a column: "" for a plain number, or the name of an enum ("atp_outcome") if the numbers are its constants.
 *  @return a static string; NULL for other numbers. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_column_unit(int kind, int column) ATP_NOEXCEPT;
/** Returns the description of a column in one line. @return a static string; NULL for other numbers. Allocates: no. Threads: any.
 *  Since: 0.1. */
ATP_API const char *atp_column_description(int kind, int column) ATP_NOEXCEPT;
/** Returns the number of a column from its name. @return -1 for NULL, an unknown name or an unknown kind. Allocates: no. Threads: any.
 *  Since: 0.1. */
ATP_API int atp_column_find(int kind, const char *name) ATP_NOEXCEPT;

/** Returns one number of the table. @param[in] row 0..rows-1; @param[in] column 0..columns-1; @param[out] value
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_table_value(const atp_table *table, int64_t row, int column, double *value) ATP_NOEXCEPT;
/** Returns all numbers of the table. @param[out] values shape [rows][columns]; @param[in] size rows * columns
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_table_values(const atp_table *table, double *values, int64_t size) ATP_NOEXCEPT;

/** Writes the table as CSV text: a line of names, then a line for each row. Numbers have enough digits to be read back exactly; special
 *  values are NaN, Inf and -Inf. The decimal separator is a point in every locale.
 *  @param[out] text    (optional) receives the text with a final NUL; @param[in] size bytes of text, 0 with NULL
 *  @param[out] needed  (optional) bytes of the text with its NUL
 *  @return ATP_OK; ATP_E_NULL (table); ATP_E_BUFFER (the error text and *needed have the number of bytes needed)
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_table_csv(const atp_table *table, char *text, int64_t size, int64_t *needed) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
