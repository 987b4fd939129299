"""Checks that h5py, which shares no code with us but the library, reads a result file as documented.

    python h5py_result_test.py RESULT.h5 [RESULT.csv] [--at-least ROWS]

With the CSV file of the same run, names, units and every number must be the same.
"""

import argparse
import csv

import h5py
import numpy as np


def read_csv(path):
    units = None
    with open(path, newline="") as file:
        lines = []
        for line in file:
            if line.startswith("# units: "):
                units = line.removeprefix("# units: ").rstrip("\n").split(",")
            elif not line.startswith("#"):
                lines.append(line)
    rows = list(csv.reader(lines))
    return rows[0], units, np.array(rows[1:], dtype=float)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hdf5")
    parser.add_argument("csv", nargs="?")
    parser.add_argument("--at-least", type=int, default=0, metavar="ROWS")
    arguments = parser.parse_args()

    with h5py.File(arguments.hdf5, "r") as file:
        names = list(file["names"].asstr())
        units = list(file["units"].asstr())
        values = file["values"][...]
        assert file.attrs["sestina_result"] == 2
        assert isinstance(file.attrs["model"], str)
        assert isinstance(file.attrs["model_name"], str)
        assert all(isinstance(value, str) for value in file["provenance"].attrs.values())

    assert values.dtype == np.float64
    assert values.shape[1] == len(names) == len(units) == len(set(names))
    assert values.shape[0] >= arguments.at_least, f"{values.shape[0]} rows"
    assert "t" in names and units[names.index("t")] == "s"
    assert not np.isnan(values[:, names.index("t")]).any()
    steps = np.diff(values[:, names.index("t")])
    # The rows just before and just after an event are of the same instant.
    assert (steps >= 0).all() if "event" in names else (steps > 0).all()

    if arguments.csv:
        csv_names, csv_units, csv_values = read_csv(arguments.csv)
        assert names == csv_names
        assert units == csv_units
        np.testing.assert_array_equal(values, csv_values)


if __name__ == "__main__":
    main()
