/* SPDX-License-Identifier: MIT */
/** @file attopotts_io.h
 *  Umbrella header of the whole C API: attopotts.h, and the functions for files, which are in the library attopotts_io. */
#ifndef ATTOPOTTS_UMBRELLA_IO_H
#define ATTOPOTTS_UMBRELLA_IO_H

#include <attopotts.h>

#include <attopotts/io.h>
#include <attopotts/input.h>

#endif
