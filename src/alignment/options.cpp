// SPDX-License-Identifier: MIT
#include "alignment/options.hpp"

namespace atp {

namespace {

// The words of the values of enums, in the order of the constants.
constexpr const char *kUnknowns[] = {"gap", "drop", "error"},
                     *kFormats[] = {"auto", "hdf5", "fasta", "integers", "a2m", "a3m", "stockholm", "aln", "gremlin", "paired"};

constexpr auto kAlignmentRows =
    rows_of(OptionInfo{ATP_OPT_UNKNOWN, "unknown", true, ATP_UNKNOWN_GAP, ATP_UNKNOWN_ERROR, ATP_UNKNOWN_GAP,
                       "what happens to symbols outside the alphabet"}
                .naming(ATP_UNKNOWN_GAP, kUnknowns),
            OptionInfo{ATP_OPT_COLORS, "colors", true, 0, 255, 0, "q of integer matrices; 0: the largest value plus one"},
            OptionInfo{ATP_OPT_FORMAT, "format", true, ATP_FORMAT_AUTO, ATP_FORMAT_PAIRED, ATP_FORMAT_AUTO,
                       "the format that is expected; auto: what the content is"}
                .naming(ATP_FORMAT_AUTO, kFormats),
            OptionInfo{ATP_OPT_MAX_UNPACKED, "max-unpacked", true, 0, kAnyCount, 0,
                       "largest size in bytes of an unpacked gzip file; 0: a hundred times the packed size, at least 1 GiB"});

constexpr auto kFilterRows = rows_of(
    OptionInfo{ATP_OPT_MAX_GAPS_SEQUENCE, "max-gaps-sequence", false, 0, 1, 1, "largest fraction of gaps of a sequence that is kept"},
    OptionInfo{ATP_OPT_MAX_GAPS_COLUMN, "max-gaps-column", false, 0, 1, 1, "largest fraction of gaps of a column that is kept"},
    OptionInfo{ATP_OPT_REMOVE_DUPLICATES, "remove-duplicates", true, 0, 1, 0, "1: only the first of equal sequences is kept"});

}  // namespace

constexpr OptionTable kAlignmentOptions = table_of(ATP_OWNER_ALIGNMENT, "a reader of alignments", kAlignmentRows);
constexpr OptionTable kFilterOptions = table_of(ATP_OWNER_FILTER, "a filter of alignments", kFilterRows);

}  // namespace atp
