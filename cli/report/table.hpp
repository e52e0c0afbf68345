// SPDX-License-Identifier: MIT
// Tables of a page, which a click or a key on the head of a column sorts.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct PageTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  int ranked = -1;      // the column by which the rows rise; -1: none
  std::string follows;  // the id of the map whose pairs the rows are, in the same order; "": none
};

std::string table_html(const PageTable &table);

}  // namespace cli
