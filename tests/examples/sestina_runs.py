"""Runs the program `sestina` and reads its results."""

import csv
import pathlib
import subprocess


class Result:
    """A result file: column(name) over the rows, of which the last is at the end of the run."""

    def __init__(self, path):
        with open(path, newline="") as file:
            rows = list(csv.reader(line for line in file if not line.startswith("#")))
        self.names = rows[0]
        self.rows = [[float(x) for x in row] for row in rows[1:]]

    def column(self, name):
        i = self.names.index(name)
        return [row[i] for row in self.rows]

    def columns(self, *names):
        return list(zip(*(self.column(name) for name in names)))

    def final(self, name):
        return self.column(name)[-1]


class Sestina:
    def __init__(self, program, examples, out):
        self.program = program
        self.examples = pathlib.Path(examples)
        self.out = pathlib.Path(out)
        self.out.mkdir(parents=True, exist_ok=True)

    def run(self, model, **changes):
        """The result of the model with some keys set; `a__b` means the key a.b."""
        options = [f"--set={key.replace('__', '.')}={value}" for key, value in changes.items()]
        result = self.out / f"check_{pathlib.Path(model).stem}.csv"
        command = [self.program, "run", str(self.examples / model), "--quiet", "--out", str(result), *options]
        subprocess.run(command, check=True)
        return Result(result)
