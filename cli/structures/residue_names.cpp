// SPDX-License-Identifier: MIT
#include "structures/residue_names.hpp"

#include <map>

namespace cli {

namespace {

// States of protonation and of bonds, and states of phosphates.
const std::map<std::string, std::string> kAminoAcids = {
    {"HID", "HIS"},  {"HIE", "HIS"},  {"HIP", "HIS"},  {"HSC", "HIS"},  {"HSD", "HIS"},  {"HSE", "HIS"},  {"HSP", "HIS"},  {"HISA", "HIS"},
    {"HISB", "HIS"}, {"HISD", "HIS"}, {"HISE", "HIS"}, {"HISH", "HIS"}, {"HIS1", "HIS"}, {"HIS2", "HIS"}, {"CYX", "CYS"},  {"CYM", "CYS"},
    {"CYN", "CYS"},  {"CYSH", "CYS"}, {"CYS1", "CYS"}, {"CYS2", "CYS"}, {"ASH", "ASP"},  {"ASPH", "ASP"}, {"ASPP", "ASP"}, {"GLH", "GLU"},
    {"GLUH", "GLU"}, {"GLUP", "GLU"}, {"LYN", "LYS"},  {"LYP", "LYS"},  {"LSN", "LYS"},  {"LYSH", "LYS"}, {"LYSN", "LYS"}, {"ARN", "ARG"},
    {"ARGN", "ARG"}, {"TYM", "TYR"},  {"S1P", "SEP"},  {"T1P", "TPO"},  {"Y1P", "PTR"}};
const std::string kStandard = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL ";
const std::map<std::string, char> kBases = {{"ADE", 'A'}, {"CYT", 'C'}, {"GUA", 'G'}, {"THY", 'T'}, {"URA", 'U'}, {"URI", 'U'}};

// N or C before an amino acid: a residue at that end of a chain.
std::string amino_acid(const std::string &name) {
  if (const auto found = kAminoAcids.find(name); found != kAminoAcids.end()) return found->second;
  if (name.size() != 4 || (name[0] != 'N' && name[0] != 'C')) return "";
  const std::string rest = name.substr(1);
  return kStandard.find(rest + " ") != std::string::npos ? rest : amino_acid(rest);
}

// R or D for the sugar, the base, and 5, 3 or N for an end of the chain or a nucleoside.
std::string nucleotide(std::string name) {
  const bool sugar = name[0] == 'R' || name[0] == 'D';
  const bool deoxy = name[0] == 'D';
  if (sugar) name.erase(0, 1);
  char base = 0;
  if (const auto found = kBases.find(name); found != kBases.end()) {
    base = found->second;
  } else {
    const bool end = name.size() == 2 && std::string("53N").find(name[1]) != std::string::npos;
    if (std::string("ACGTU").find(name[0]) != std::string::npos && (end || (name.size() == 1 && sugar))) base = name[0];
  }
  if (base == 0) return "";
  return (deoxy || base == 'T' ? "D" : "") + std::string(1, base);
}

}  // namespace

std::string common_residue_name(const std::string &name) {
  if (name.empty()) return "";
  std::string common = amino_acid(name);
  if (common.empty()) common = nucleotide(name);
  return common == name ? "" : common;
}

}  // namespace cli
