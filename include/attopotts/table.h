/* SPDX-License-Identifier: MIT */
/** @file table.h
 *  Tables: rows of doubles under named columns, which is what tasks, trainers and tuning give back.
 *
 *  The kind of a table fixes its columns. The columns of a kind have numbers, the enums atp_..._column, and each has a name ("eg_sem" say),
 *  a unit and a line of description that can be asked for without a table. A table is made with room for a number of rows; what is appended
 *  to it never allocates, and what does not fit is refused with ATP_E_BUFFER and the number of rows that are needed.
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
  ATP_TABLE_REPLICA_CURVE = 1,      /**< atp_replica_column */
  ATP_TABLE_REPLICA_SIMULATION = 2, /**< atp_replica_sim_column */
  ATP_TABLE_DOTATTN_CURVE = 3,      /**< atp_dotattn_column */
  ATP_TABLE_DOTATTN_TRANSITION = 4, /**< atp_dotattn_transition_column */
  ATP_TABLE_DOTATTN_TOKENS = 5,     /**< atp_dotattn_tokens_column */
  ATP_TABLE_DOTATTN_SIMULATION = 6, /**< atp_dotattn_sim_column */
  ATP_TABLE_TRAINING_LOG = 7,       /**< atp_training_column */
  ATP_TABLE_TUNING = 8              /**< atp_tuning_column */
} atp_table_kind;

/** The bytes that atp_table_create() will ask for. @param[in] capacity rows, 0 or more; @param[out] bytes
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_TOO_LARGE. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API atp_status atp_table_bytes(atp_table_kind kind, int64_t capacity, int64_t *bytes) ATP_NOEXCEPT;

/** Makes a table without rows. @param[in] capacity rows that it has room for, 0 or more
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_TOO_LARGE; ATP_E_MEMORY. Allocates: atp_table_bytes(). Threads: one per context.
 *  Since: 0.1. */
ATP_API atp_status atp_table_create(atp_context *context, atp_table_kind kind, int64_t capacity, atp_table **out) ATP_NOEXCEPT;

/** Frees a table; NULL is allowed. Nothing may be about to append to it. Allocates: no. Threads: no other call on it. Since: 0.1. */
ATP_API void atp_table_destroy(atp_table *table) ATP_NOEXCEPT;

/** Returns the context that the table was made from; NULL for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_context *atp_table_context(const atp_table *table) ATP_NOEXCEPT;
/** The kind, an atp_table_kind; 0 for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API int atp_table_kind_of(const atp_table *table) ATP_NOEXCEPT;
/** Returns the number of rows; 0 for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API int64_t atp_table_rows(const atp_table *table) ATP_NOEXCEPT;
/** Returns the number of columns; 0 for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API int64_t atp_table_columns(const atp_table *table) ATP_NOEXCEPT;
/** Rows that there is room for, those that it has included; 0 for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API int64_t atp_table_capacity(const atp_table *table) ATP_NOEXCEPT;

/** Takes all rows out. @return ATP_OK; ATP_E_NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_table_clear(atp_table *table) ATP_NOEXCEPT;

/** Number of columns of a kind; 0 for another number. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API int64_t atp_column_count(int kind) ATP_NOEXCEPT;
/** The name of a column, "eg" say. @param[in] kind an atp_table_kind; @param[in] column 0, 1, ...
 *  @return a static string; NULL for other numbers. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API const char *atp_column_name(int kind, int column) ATP_NOEXCEPT;
/** The unit of a column: "" of a plain number, the name of an enum ("atp_outcome") where the numbers are its constants.
 *  @return a static string; NULL for other numbers. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API const char *atp_column_unit(int kind, int column) ATP_NOEXCEPT;
/** What a column is, in one line. @return a static string; NULL for other numbers. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API const char *atp_column_description(int kind, int column) ATP_NOEXCEPT;
/** Returns the number of a column from its name. @return -1 for NULL, another name or another kind. Allocates: no. Threads: always safe.
 *  Since: 0.1. */
ATP_API int atp_column_find(int kind, const char *name) ATP_NOEXCEPT;

/** One number. @param[in] row 0..rows-1; @param[in] column 0..columns-1; @param[out] value
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_table_value(const atp_table *table, int64_t row, int column, double *value) ATP_NOEXCEPT;
/** A column by its name. @param[out] values shape [rows]; @param[in] size rows
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (name); ATP_E_SHAPE. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_table_column(const atp_table *table, const char *name, double *values, int64_t size) ATP_NOEXCEPT;
/** All numbers. @param[out] values shape [rows][columns]; @param[in] size rows * columns
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_table_values(const atp_table *table, double *values, int64_t size) ATP_NOEXCEPT;

/** The table as CSV text: a line of names, a line for each row, numbers with as many digits as give the same number back, NaN, Inf and
 *  -Inf. The point is a point in every locale.
 *  @param[out] text    (optional) receives the text with a final NUL; @param[in] size bytes of text, 0 with NULL
 *  @param[out] needed  (optional) bytes of the text with its NUL
 *  @return ATP_OK; ATP_E_NULL (table); ATP_E_BUFFER (with the bytes that are needed; *needed is set). Allocates: no. Threads: one at a
 *          time.
 *  Since: 0.1. */
ATP_API atp_status atp_table_csv(const atp_table *table, char *text, int64_t size, int64_t *needed) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
