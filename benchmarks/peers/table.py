#!/usr/bin/env python3
"""Writes the CSV of bench_peers, or of bench_peer_loops, as the Markdown tables of benchmarks/README.md.

    ./dev bench --peers && python3 benchmarks/peers/table.py out/peers.csv
    ./dev bench --peers --loops && python3 benchmarks/peers/table.py out/peers_loops.csv

Of each engine the fastest routine, medians in microseconds; of our lanes each instruction set. The ratio is ours
(the fastest of ours) over the fastest of any peer. `!`: differs from ours by more than 1e-5.
"""

import csv
import sys

WRONG = 1e-5


def shown(microseconds):
    return f"{microseconds:.3g}" if microseconds < 1000 else f"{microseconds:.0f}"


def read(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def sort(rows):
    """{kernel: {mechanism: {column: (time, is_wrong)}}}, columns in the order in which they come."""
    tables = {}
    for row in rows:
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


def write_loops(rows):
    """Times, and the error of udot behind each."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    print("| mechanism | ratio | " + " | ".join(methods) + " |")
    print("|---|" + "--:|" * (len(methods) + 1))
    for mechanism in dict.fromkeys(row["mechanism"] for row in rows):
        of = {row["method"]: row for row in rows if row["mechanism"] == mechanism}
        ratio = of[methods[0]]["ratio_to_converged"]
        cells = []
        for method in methods:
            row = of.get(method)
            cells.append(f"{shown(float(row['median_us']))} ({float(row['udot_error']):.0e})" if row else "")
        print(f"| {mechanism} | {float(ratio):.2f} | " if ratio else f"| {mechanism} | | ", end="")
        print(" | ".join(cells) + " |")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows = read(sys.argv[1])
    if "conditions" in rows[0]:
        write_loops(rows)
        return
    for kernel, mechanisms in sort(rows).items():
        write(kernel, mechanisms)


main()
