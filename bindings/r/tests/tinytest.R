# SPDX-License-Identifier: MIT
if (requireNamespace("tinytest", quietly = TRUE)) tinytest::test_package("attopotts")
