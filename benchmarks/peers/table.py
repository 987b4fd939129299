#!/usr/bin/env python3
"""Writes the CSV of bench_peers as the Markdown tables of benchmarks/README.md.

    ./dev bench --peers && python3 benchmarks/peers/table.py out/peers.csv

Of each engine the fastest routine, medians in microseconds; of our lanes each instruction set. The ratio is ours
(the fastest of ours) over the fastest of any peer. `!`: differs from ours by more than 1e-5.
"""

import csv
import sys

WRONG = 1e-5


def shown(microseconds):
    return f"{microseconds:.3g}" if microseconds < 1000 else f"{microseconds:.0f}"


def read(path):
    """{kernel: {mechanism: {column: (time, is_wrong)}}}, columns in the order in which they come."""
    tables = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            column = row["engine"]
            if row["method"].startswith("lanes"):
                column += " " + row["method"].split(", ")[1]
            entry = (float(row["median_us"]), float(row["relative_error"]) > WRONG)
            columns = tables.setdefault(row["kernel"], {}).setdefault(row["mechanism"], {})
            columns[column] = min(columns.get(column, entry), entry)
    return tables


def write(kernel, mechanisms):
    names = list(dict.fromkeys(name for columns in mechanisms.values() for name in columns))
    print(f"\n{kernel[0].upper() + kernel[1:]}:\n")
    print("| mechanism | ratio | " + " | ".join(names) + " |")
    print("|---|" + "--:|" * (len(names) + 1))
    for mechanism, columns in mechanisms.items():
        ours = min(time for name, (time, _) in columns.items() if name.startswith("Sestina"))
        peers = min(time for name, (time, _) in columns.items() if not name.startswith("Sestina"))
        cells = [shown(columns[name][0]) + (" !" if columns[name][1] else "") if name in columns else "" for name in names]
        print(f"| {mechanism} | {ours / peers:.2f} | " + " | ".join(cells) + " |")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for kernel, mechanisms in read(sys.argv[1]).items():
        write(kernel, mechanisms)


main()
