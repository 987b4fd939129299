"""A first motion, to see that everything works."""

from __future__ import annotations

import os

from ._core import System
from .result import Result
from .run import simulate


def double_pendulum() -> System:
    """Two rods of 1 m and 1 kg, released 2 rad from the hanging position."""
    system = System("double pendulum", gravity=(0, 0, -9.81), parameters={"m": 1.0, "l": 1.0})
    last = system.ground["origin"]
    for name, joint, angle in (("upper", "hip", 2.0), ("lower", "knee", 0.5)):
        rod = system.add_rigid_body(
            name,
            "m",
            center_of_mass=(0, 0, "-l/2"),
            inertia={"xx": "m*l^2/12", "yy": "m*l^2/12"},
            points={"tip": (0, 0, "-l")},
        )
        system.add_joint(joint, "revolute", last, rod["origin"], axis=(0, 1, 0), q=angle)
        last = rod["tip"]
    return system


def demo(path: str | os.PathLike[str] | None = None, show: bool = True) -> Result:
    """Simulate a double pendulum for 10 s, print its energy drift, and show the path of its tip and a plot.

    path: save the picture there (.png, .svg, .pdf); show=False opens no window. Returns the result.
    """
    result = simulate(double_pendulum(), duration=10, every=0.005, rtol=1e-9)
    report = result.report
    assert report is not None
    print(f"10 s of a double pendulum in {1e3 * report.wall_seconds:.1f} ms: {report.steps.steps} steps,")
    print(f"energy drift {report.energy_drift:.1e} J of {report.kinetic_energy:.3g} J")
    try:
        from .plotting import show_figure, track

        figure = track(result, "lower.tip", ["hip.q", "knee.q", "energy.kinetic", "energy.potential", "energy.total"])
        if path is not None:
            figure.savefig(path, dpi=160)
            print(f"the picture is in {os.fspath(path)}")
        if show:
            show_figure()
    except ImportError as error:
        print(f"no plot: {error}")
    return result
