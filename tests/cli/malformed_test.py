"""Every malformed model of tests/io/malformed through the program: exit status 2, every fault at its line and
column, nothing written.

python3 malformed_test.py SESTINA
"""

import pathlib

import program
from program import ProgramTest

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "io/malformed"


class Malformed(ProgramTest):
    def test_models_are_refused_with_their_faults(self):
        models = sorted(FOLDER.glob("*.yaml"))
        self.assertGreater(len(models), 100)
        for model in models:
            with self.subTest(model.name):
                expected = [
                    line.removeprefix("# expect: ").split(" ", 1)
                    for line in model.read_text(encoding="utf-8", errors="replace").splitlines()
                    if line.startswith("# expect: ")
                ]
                text = self.expect_bad_input(str(model), "run", model, "--out", "r.csv")
                for place, message in expected:
                    told = [line for line in text.splitlines() if line.startswith(f"{model}:{place}: ")]
                    self.assertIn(message, "\n".join(told), text)
                self.expect_bad_input(str(model), "info", model)


if __name__ == "__main__":
    program.main()
