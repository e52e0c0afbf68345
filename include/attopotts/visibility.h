/* SPDX-License-Identifier: MIT */
/** @file visibility.h
 *  Macros for declarations:
 *  - ATP_API marks the functions that the shared library exports.
 *  - ATP_NOEXCEPT declares to C++ that a function throws no exception.
 *  - ATP_DEPRECATED(text) marks functions that have a successor.
 *  - ATP_INT declares to C++ that an enum can hold any int, as in C. The library can then report a wrong constant as an error.
 */
#ifndef ATTOPOTTS_VISIBILITY_H
#define ATTOPOTTS_VISIBILITY_H

#if defined(__GNUC__) || defined(__clang__)
#define ATP_API __attribute__((visibility("default")))
#define ATP_DEPRECATED(text) __attribute__((deprecated(text)))
#else
#define ATP_API
#define ATP_DEPRECATED(text)
#endif

#ifdef __cplusplus
#define ATP_NOEXCEPT noexcept
#define ATP_INT : int
#else
#define ATP_NOEXCEPT
#define ATP_INT
#endif

#endif
