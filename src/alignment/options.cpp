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

constexpr const char *kGaps[] = {"state", "ignore"};
constexpr auto kSplitRows = rows_of(
    seed_option(ATP_OPT_SEED),
    OptionInfo{ATP_OPT_IDENTITY, "identity", false, 0, 1, 0.5, "largest identity of a test and a training sequence"},
    OptionInfo{ATP_OPT_IDENTITY_TRAINING, "identity-training", false, 0, 1, 1, "largest identity of two training sequences; 1: any"},
    OptionInfo{ATP_OPT_IDENTITY_TEST, "identity-test", false, 0, 1, 0.5, "largest identity of two test sequences; 1: any"},
    OptionInfo{ATP_OPT_TEST_FRACTION, "test-fraction", false, 0.001, 0.5, 0.5,
               "probability with which a sequence is meant for the test set"},
    OptionInfo{ATP_OPT_MAX_TRAINING, "max-training", true, 0, kAnyCount, 0, "largest number of training sequences; 0: any"},
    OptionInfo{ATP_OPT_MAX_TEST, "max-test", true, 0, kAnyCount, 0, "largest number of test sequences; 0: any"},
    OptionInfo{ATP_OPT_RUNS, "runs", true, 1, 1e6, 10, "random runs, of which the one with the largest product of sizes is taken"},
    OptionInfo{ATP_OPT_GAPS, "gaps", true, ATP_GAPS_STATE, ATP_GAPS_IGNORE, ATP_GAPS_STATE,
               "identity: state: of all columns, a gap equals a gap; ignore: of the columns where both have a residue"}
        .naming(ATP_GAPS_STATE, kGaps));

constexpr auto kQualityRows =
    rows_of(seed_option(ATP_OPT_SEED),
            OptionInfo{ATP_OPT_RUNS, "runs", true, 0, 1e5, 10, "random splits of the data, whose parts are compared with each other"},
            OptionInfo{ATP_OPT_TRIPLES, "triples", true, 2, 1e6, 2000, "correlations of three sites that are compared: the largest"});

}  // namespace

constexpr OptionTable kAlignmentOptions = table_of(ATP_OWNER_ALIGNMENT, "a reader of alignments", kAlignmentRows);
constexpr OptionTable kFilterOptions = table_of(ATP_OWNER_FILTER, "a filter of alignments", kFilterRows);
constexpr OptionTable kSplitOptions = table_of(ATP_OWNER_SPLIT, "a split of an alignment", kSplitRows);
constexpr OptionTable kQualityOptions = table_of(ATP_OWNER_QUALITY, "the quality of samples", kQualityRows);

}  // namespace atp
