"""Arguments of a SymbolicSystem that are wrong are named."""

from __future__ import annotations

import pytest
import sestina
from sestina import symbolic as sm
from test_symbolic_system import runnable_pendulum


def test_arguments_of_a_wrong_type_are_named(own_derivation):
    system, q, _ = runnable_pendulum()
    N = sm.ReferenceFrame("M")
    for wrong, words in (
        (lambda: system.add_energies([q], N), r"SymbolicSystem.add_energies: frame is \[q\] \(list\); allowed is ReferenceFrame"),
        (lambda: system.add_output(3, q), r"SymbolicSystem.add_output: name is 3 \(int\); allowed is str"),
        (lambda: system.set_input(q, "x"), r"SymbolicSystem.set_input: value is 'x' \(str\); allowed is Expression or number"),
    ):
        with pytest.raises(TypeError, match=words):
            wrong()
    with pytest.raises(sestina.InputError, match=r"show\(\) needs a model.*draw\(\) and animate\(\) show it"):
        system.simulate(0.1).show()
