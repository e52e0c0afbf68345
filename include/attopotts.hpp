// SPDX-License-Identifier: MIT
/** @file attopotts.hpp
 *  The C API for C++17. These headers need only the library attopotts; there is nothing else to link. Methods that read or write files
 *  are declared here and defined by attopotts_io.hpp.
 *
 *  Each class owns one handle and frees it. Handles can be moved but not copied (Model::copy() makes a copy). An object that was made
 *  without arguments (Context apart) holds nothing until another one is assigned to it. As a condition it is false, and so is an object
 *  that was moved from. Failures throw attopotts::error, which has the status. Functions take arrays as a View, a pointer and a size. A
 *  View converts from std::vector, std::array, C arrays, lists in braces, and everything else with data() and size(). Functions return
 *  arrays as std::vector. The C function of the same name describes each function and its arguments.
 *
 *  Lifetimes are those of the C API: a Context must outlive its handles. A Trainer reads its alignments and its truth; these must live as
 *  long as it, the test alignment until unset_test() and the truth until unset_truth(). Such arguments are Borrowed: a temporary does not
 *  compile. A View in a variable must not refer to a temporary or to a list in braces, and assigning to an object frees what it held: no
 *  View, Trainer or handle may still use that. A Table of set_log(), which is passed by address, must live as long as it is set. Everything
 *  else is copied. Every class has get() for C functions that have no method here.
 *
 *  Threads: as in the C API. Since: 0.1. */
#ifndef ATTOPOTTS_HPP
#define ATTOPOTTS_HPP

#include <attopotts.h>

#include <attopotts/alignment.hpp>
#include <attopotts/base.hpp>
#include <attopotts/asymptotics.hpp>
#include <attopotts/baselines.hpp>
#include <attopotts/columns.hpp>
#include <attopotts/context.hpp>
#include <attopotts/diagnostics.hpp>
#include <attopotts/dotattn.hpp>
#include <attopotts/model.hpp>
#include <attopotts/mutations.hpp>
#include <attopotts/options.hpp>
#include <attopotts/partition.hpp>
#include <attopotts/rungs.hpp>
#include <attopotts/ranks.hpp>
#include <attopotts/replica.hpp>
#include <attopotts/sampler.hpp>
#include <attopotts/scores.hpp>
#include <attopotts/selection.hpp>
#include <attopotts/table.hpp>
#include <attopotts/task.hpp>
#include <attopotts/trainer.hpp>
#include <attopotts/weights.hpp>

#endif
