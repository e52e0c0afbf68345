// SPDX-License-Identifier: MIT
/** @file attopotts_io.hpp
 *  attopotts.hpp with files: Alignment::read(), Model::read() and all other methods that need the library attopotts_io. */
#ifndef ATTOPOTTS_UMBRELLA_IO_HPP
#define ATTOPOTTS_UMBRELLA_IO_HPP

#include <attopotts.hpp>
#include <attopotts_io.h>

#include <attopotts/input.hpp>
#include <attopotts/io.hpp>

#endif
