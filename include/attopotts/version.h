/* SPDX-License-Identifier: MIT */
/** @file version.h
 *  Versions and capabilities, at compile time and at run time.
 *
 *  Compatibility. Two numbers count separately: the version (major, minor, patch) and ATP_ABI_VERSION, the version of the binary interface,
 *  which is also that of the soname, libattopotts.so.ABI.
 *  - The ABI number rises when a program that was built with older headers would no longer run: a function is removed, or its parameters
 *  or its return type change; a constant of an enum changes its value or its meaning; a callback gets other arguments. New functions,
 *  statuses, options, columns at the end of a table and kinds do not raise it. The libraries attopotts and attopotts_io fit together only
 *  if they have the same version.
 *  - A program may run with any library of the same ABI number whose version is at least that of its headers. The dynamic linker compares
 *  the soname. A program that loads the library by itself (dlopen, a binding) compares
 *      atp_abi_version() == ATP_ABI_VERSION && atp_version_number() >= ATP_VERSION_NUMBER
 *  before its first other call. Versions 0.x promise this, too: what changes raises the ABI number.
 *  - Saved states of samplers, sampling runs and trainers load in all later patch and minor releases. A major release may
 *  end this for states of earlier ones; it then refuses them with ATP_E_FORMAT. Saved models (atp_model_save_state()) and model files load
 *  in all later releases. States of a later version are refused, and none is ever misread.
 *  - Numbers (samples, parameters, losses) keep their bits within patch releases; the change log names every other change.
 *
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
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_version_number(void) ATP_NOEXCEPT;

/** Returns the version of the loaded library, for example "1.2.3". @return a static string.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_version_string(void) ATP_NOEXCEPT;

/** Returns the version of the binary interface of the loaded library; compare it with ATP_ABI_VERSION. Rebuild programs that were built
 *  with another one.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_abi_version(void) ATP_NOEXCEPT;

/** Checks whether this build has a feature: "threads", "blis", "lapack", "io" (files: the library
 *  attopotts_io was built), and, within that library, "hdf5", "zlib", "msgpack".
 *  @return 1 for yes, 0 for no, unknown names and NULL.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_has_feature(const char *name) ATP_NOEXCEPT;

/** Returns a description of the dense linear algebra in use: BLIS's version, its kernel set ("zen", "skx", "generic", ...), and
 *  LAPACK's version. BLIS works in one thread at a time for each call of this library, whatever its own setting (OMP_NUM_THREADS) says;
 *  large matrices are shared out among the threads of the context. @return a static string.
 *  Allocates: no (BLIS may, on its first use in the process). Threads: any. Since: 0.1. */
ATP_API const char *atp_blas_description(void) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
