// SPDX-License-Identifier: MIT
#include "flags/help_pages.hpp"

namespace cli {

const std::vector<Topic> &topics() {
  static const std::vector<Topic> all = {
      {"files", "Files",
       "Alignments are FASTA, A2M, A3M, Stockholm or one sequence per line, also packed by gzip; the\n"
       "content decides, not the name. Sequences and models of attopotts are HDF5. `-` is standard\n"
       "input or output. An output is written beside its place and renamed when it is whole: a run\n"
       "that fails leaves what was there before. An input is never written."},
      {"formats", "Formats of other programs",
       "Models and scores of plmc, CCMpred, adabmDCA and bmDCA are read wherever a model or scores are\n"
       "expected; `attopotts convert FROM TO --format FORMAT` writes them. `--like plmc` and other\n"
       "presets set the flags of learn and contacts as those programs do; `attopotts info presets`\n"
       "lists them."},
      {"status", "Exit status",
       "0    done\n"
       "1    failed: a file cannot be written, memory is short\n"
       "2    wrong usage or bad input; one line says what was expected\n"
       "3    not converged: the result is written, and its outcome says so\n"
       "130  interrupted: what a checkpoint or a model so far can hold is saved; a second signal ends at once"},
      {"numbers", "The same numbers again",
       "`--seed S` fixes all random numbers. Results have the same bits for every number of threads and\n"
       "of ranks of MPI, and on processors with fused multiply-add. Tables begin with the version and the\n"
       "command that made them; `--save-config FILE` keeps the flags, `--config FILE` reads them."},
      {"resuming", "Interrupted runs",
       "`--checkpoint FILE` of learn, contacts and sample saves the run at intervals, after Ctrl-C and at\n"
       "the end. The same command with `--resume` goes on and ends with the same numbers."},
      {"family", "From an alignment to contacts and mutations",
       "attopotts verdict family.fasta --alphabet protein --theta 0.2\n"
       "attopotts contacts family.fasta --alphabet protein --theta 0.2 --l2-couplings auto \\\n"
       "    --structure 1abc.pdb --csv pairs.csv --picture map.svg --model-out model.h5\n"
       "attopotts mutants model.h5 family.fasta --alphabet protein --row 0 --csv mutants.csv"},
      {"clusters", "Many processors",
       "`--threads N` sets the threads, by default one per core. `mpirun -n 8 attopotts ...` shares\n"
       "sampling, weights, training and the theory of curves among ranks; rank 0 reads and writes.\n"
       "Many families: GNU parallel, Snakemake and Slurm start the commands (docs/clusters.md)."},
  };
  return all;
}

}  // namespace cli
