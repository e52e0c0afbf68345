# SPDX-License-Identifier: MIT
"""Finished runs of an experiment: a CSV to which several processes append, and from which it goes on."""
import csv
import fcntl
import os


class Store:
    def __init__(self, path, key, columns, note):
        """key: the first columns, which tell runs apart."""
        self.path, self.key, self.columns, self.note = path, key, columns, note

    def rows(self):
        if not os.path.exists(self.path):
            return []
        with open(self.path) as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    def find(self, key):
        return next((r for r in self.rows() if all(r[name] == str(value) for name, value in zip(self.key, key))), None)

    def append(self, row):
        with open(self.path, "a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if file.tell() == 0:
                file.write(f"# {self.note}\n" + ",".join(self.columns) + "\n")
            file.write(",".join(str(row.get(name, "")) for name in self.columns) + "\n")
