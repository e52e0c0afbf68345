// SPDX-License-Identifier: MIT
/** @file attopotts.hpp
 *  The C API for C++17: a header of its own and nothing to link beside the library. Methods that read or write files are declared here and
 *  defined by attopotts_io.hpp.
 *
 *  Each class owns one handle and frees it; handles move, they are not copied (Model::copy() makes a copy). Failures are thrown as
 *  attopotts::error, which knows the status. Arrays come as pointer and size (View: a std::vector, a std::array, a C array, or both said)
 *  and go as std::vector. What a function does, and what its arguments mean, stands at the C function of the same name.
 *
 *  Lifetimes are those of the C API: a Context outlives what was made from it, an Alignment the Trainer that reads it. Everything has get()
 *  for C functions that have no method here.
 *
 *  Threads: as the C API. Since: 0.1. */
#ifndef ATTOPOTTS_HPP
#define ATTOPOTTS_HPP

#include <attopotts.h>

#include <attopotts/alignment.hpp>
#include <attopotts/base.hpp>
#include <attopotts/context.hpp>
#include <attopotts/diagnostics.hpp>
#include <attopotts/dotattn.hpp>
#include <attopotts/model.hpp>
#include <attopotts/options.hpp>
#include <attopotts/replica.hpp>
#include <attopotts/sampler.hpp>
#include <attopotts/scores.hpp>
#include <attopotts/table.hpp>
#include <attopotts/task.hpp>
#include <attopotts/trainer.hpp>
#include <attopotts/transformer.hpp>

#endif
