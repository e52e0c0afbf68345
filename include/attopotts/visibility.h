/* SPDX-License-Identifier: MIT */
/** @file visibility.h
 *  Macros for declarations: ATP_API marks what the shared library exports, ATP_NOEXCEPT says to C++ that no
 *  exception leaves a function, ATP_DEPRECATED(text) marks what has a successor, ATP_INT says to C++ that an enum
 *  holds any int, as in C, so that a wrong constant is an error that can be reported. */
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
