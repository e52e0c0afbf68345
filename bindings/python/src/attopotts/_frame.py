# SPDX-License-Identifier: MIT
"""Tables of columns: data frames where pandas is installed."""
import importlib.util


def frame(columns: dict):
    """A pandas.DataFrame of the columns; the dict itself where pandas is not installed."""
    if importlib.util.find_spec("pandas") is None:
        return columns
    import pandas  # type: ignore  # has no types of its own
    return pandas.DataFrame(columns)
