"""CSV and HDF5 of the same run hold the same numbers, read by h5py; and what a killed run leaves opens there.

python3 hdf5_by_h5py.py SESTINA
"""

import pathlib
import subprocess
import sys
import time

import program
from program import ENDLESS, ProgramTest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CHECK = SOURCE / "tests/io/h5py_result_test.py"


class Hdf5(ProgramTest):
    def check(self, *args):
        result = subprocess.run(
            [sys.executable, CHECK, *args], cwd=self.folder, capture_output=True, text=True, check=False
        )
        self.assertEqual(result.returncode, 0, result.stderr)

    # Changes that shorten runs of many seconds.
    LONG = {"22_spin_up": ["--set=analysis.duration=1"]}

    def test_holds_the_numbers_of_csv(self):
        for example in sorted((SOURCE / "examples").glob("*.yaml")):
            with self.subTest(example.name):
                command = ["run", example, "-q", "--reactions", *self.LONG.get(example.stem, [])]
                for name in ["r.csv", "r.h5"]:
                    self.expect(0, *command, "--out", name)
                self.check("r.h5", "r.csv", "--at-least", "2")

    def test_of_a_killed_run_opens(self):
        model = self.write("endless.yaml", ENDLESS)
        process = subprocess.Popen([self.program, "run", model, "-q", "--out", "r.h5"], cwd=self.folder)
        self.addCleanup(process.kill)
        time.sleep(1.5)
        process.kill()
        process.wait(timeout=30)
        self.check("r.h5", "--at-least", "100")


if __name__ == "__main__":
    program.main()
