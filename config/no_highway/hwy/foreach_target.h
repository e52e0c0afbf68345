// SPDX-License-Identifier: MIT
#include <hwy/detect_targets.h>
