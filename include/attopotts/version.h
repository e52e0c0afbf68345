/* SPDX-License-Identifier: MIT */
/** @file version.h
 *  Versions and capabilities, at compile time and at run time.
 *  Threads: every function of this header is always safe. */
#ifndef ATTOPOTTS_VERSION_H
#define ATTOPOTTS_VERSION_H

#include <attopotts/status.h>
#include <attopotts/version_numbers.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the headers as one number: 10000 * major + 100 * minor + patch. */
#define ATP_VERSION_NUMBER (10000 * ATP_VERSION_MAJOR + 100 * ATP_VERSION_MINOR + ATP_VERSION_PATCH)
/** True if the headers have version a.b.c or later. */
#define ATP_VERSION_ATLEAST(a, b, c) (ATP_VERSION_NUMBER >= 10000 * (a) + 100 * (b) + (c))

/** Returns the version of the loaded library, 10000 * major + 100 * minor + patch.
 *  Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API int atp_version_number(void) ATP_NOEXCEPT;

/** Returns the version of the loaded library, for example "1.2.3". @return a static string.
 *  Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API const char *atp_version_string(void) ATP_NOEXCEPT;

/** Returns the version of the binary interface, which has its own count. Rebuild programs that were built with another one.
 *  Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API int atp_abi_version(void) ATP_NOEXCEPT;

/** Checks whether this build has a feature: "threads" (also by its old name, "openmp"), "blis", "lapack", "io" (the library attopotts_io),
 *  and, within that library, "hdf5", "zlib".
 *  @return 1 for yes, 0 for no, unknown names and NULL.
 *  Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API int atp_has_feature(const char *name) ATP_NOEXCEPT;

/** Returns a description of the dense linear algebra in use: BLIS's version, its kernel set ("zen", "skx", "generic", ...) and number of
 *  threads, and LAPACK's version. @return a static string.
 *  Allocates: no (BLIS may, on its first use in the process). Threads: always safe. Since: 0.1. */
ATP_API const char *atp_blas_description(void) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
