"""Runs of derived equations, equilibria, steady motions and eigenvalues. Part of sestina.symbolic."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Union

from . import _core
from ._core import Expression, Matrix, Model, ReferenceFrame, SimulationReport, System, Table
from .attributes import NamedAttributes
from .errors import ComputationError, InputError
from .fixed import FixedTuple
from .result import Result
from .run import Progress, _raise_with_result, watch
from .symbolic_methods import Replacements

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from matplotlib.figure import Figure

    from ._core import Point, Vector
    from .scene import Scene
    from .symbolic_methods import Body, KanesMethod, LagrangesMethod
    from .symbolic_scene import Cast, Picture, Shape

    Method = Union[KanesMethod, LagrangesMethod]
    #: The values of an input: an expression, a function of t, or of t, q and u, or times (s) with values.
    Input = Union[Expression, float, Callable[..., float], tuple[npt.ArrayLike, npt.ArrayLike]]

Values = Mapping[Expression, float]

_FIXED = "a SymbolicSystem has the coordinates, speeds and multipliers of its method"


def _takes_state(function: Callable[..., float], input: Expression) -> bool:
    """Whether a function takes t, q and u, not t alone."""
    import inspect

    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # of numpy's functions and others that do not tell
        return False
    positional = [one for one in parameters if one.kind in {one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD}]
    wanted = sum(one.default is one.empty for one in positional)
    takes_any = any(one.kind == one.VAR_POSITIONAL for one in parameters)
    if wanted <= 1 and (positional or takes_any):
        return False
    if wanted <= 3 and (len(positional) >= 3 or takes_any):
        return True
    raise InputError(f"the function of the input {input}: allowed are functions of t, or of t, q and u")


def _motion_of(method: object) -> _core._Motion:
    motion = getattr(method, "_motion", None)
    if motion is None:
        raise TypeError(f"expected a KanesMethod or LagrangesMethod, not {type(method).__name__}")
    formed = motion()
    assert isinstance(formed, _core._Motion)
    return formed


class SymbolicResult(Result):
    """The rows of a run of a SymbolicSystem: t, all coordinates, all speeds, the outputs, and `event` if there are events.

    result[q] is the column of a coordinate or speed by its symbol, result["energy.total"] the column of an output by its
    name; result.plot(q, "energy.*") uses the same names. Both accept expressions of columns and parameters:
    result[l * sin(q)]. Plots, dataframes and files are as for a Result; there is no Model. SymbolicSystem.set_scene(),
    called before the run, determines what draw() and animate() show.
    """

    report: SimulationReport  # type: ignore[assignment]

    def __init__(self, table: Table, report: SimulationReport, system: SymbolicSystem) -> None:
        super().__init__(table)
        self.report = report
        self._nq, self._nu = len(system.q), len(system.u)
        self._picture = None if system._cast is None else system._cast.take(system._values, system._inputs)

        self._parameters = dict(system._values)
        self._expressions: dict[str, Expression] = {}  # by their text, those that are no columns

    def _column(self, column: Any) -> str:
        if not isinstance(column, Expression):
            return super()._column(column)
        name = str(column)
        if name not in self.table:
            self._expressions[name] = column
        return name

    def _select(self, columns: Sequence[str]) -> list[str]:
        if not columns:
            return super()._select(columns)
        names: list[str] = []
        for column in columns:
            names += [column] if column in self._expressions else super()._select([column])
        return list(dict.fromkeys(names))

    def _calculate(self, expression: str) -> tuple[str, npt.NDArray[np.float64]]:
        if expression in self._expressions:
            return _core._calculate(self.table, self._expressions[expression], self._parameters)
        return super()._calculate(expression)

    def __getitem__(self, name: str | Expression) -> npt.NDArray[np.float64]:
        column = self._column(name)
        return self._calculate(column)[1] if column in self._expressions else self.table[column]

    def __contains__(self, name: object) -> bool:
        return (name if isinstance(name, str) else str(name)) in self.table

    def unit(self, name: str | Expression) -> str:
        """The unit of a column, such as `rad/s`; `1` for a pure number."""
        return self.table.unit(self._column(name))

    def plot(
        self, *columns: str | Expression, x: str | Expression | None = None, path: str | os.PathLike[str] | None = None
    ) -> Figure:
        """Draw columns over `x`: by their names, or expressions of coordinates, speeds and parameters. See Result.plot()."""
        over = None if x is None else self._column(x)
        return super().plot(*map(self._column, columns), x=over, path=path)

    def __repr__(self) -> str:
        return f"<sestina.symbolic.SymbolicResult: {len(self)} rows, {self.report.status} at t = {self.report.t:g} s>"

    def _scene(self, rows: npt.NDArray[np.intp]) -> Scene:
        return self._cast().make_scene(self.t[rows], self.q[rows], self.u[rows])

    def _way(self, point: Point | str) -> npt.NDArray[np.float64]:
        return self._cast().way_of(point, self.t, self.q, self.u)

    def _cast(self) -> Picture:
        if self._picture is None:
            raise InputError("nothing is known to draw; SymbolicSystem.set_scene() before the run says what there is")
        return self._picture

    def show(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        ghost: Result | None = None,
        height: int = 560,
        max_size: float = 20.0,
    ) -> NoReturn:
        """Raises InputError: a page shows the bodies of a model; draw() and animate() show this run."""
        raise InputError(
            "show() needs a model, which a run of a SymbolicSystem has not; draw() and animate() show it after set_scene()"
        )

    def _has_none(self) -> NoReturn:
        raise InputError("the result is of a SymbolicSystem, which has no model")

    @property
    def system(self) -> System:
        """Raises InputError: the run is of a SymbolicSystem, which has no model."""
        self._has_none()

    @property
    def model(self) -> Model:
        """Raises InputError: the run is of a SymbolicSystem, which has no model."""
        self._has_none()

    @property
    def q(self) -> npt.NDArray[np.float64]:
        """(rows, nq) All coordinates, without a copy."""
        return self.table.values[:, 1 : 1 + self._nq]

    @property
    def u(self) -> npt.NDArray[np.float64]:
        """(rows, nu) All speeds, without a copy."""
        first = 1 + self._nq
        return self.table.values[:, first : first + self._nu]


class SymbolicSystem(NamedAttributes):
    """Equations of motion from Kane's or Lagrange's method, with the numbers needed to simulate them.

    system = SymbolicSystem(kane, parameters={m: 1.2, l: 0.5, g: 9.81}, initial={q: 0.3})
    system.add_energies(N, *bodies)
    result = system.simulate(duration=10)
    result[q], result["energy.total"]

    method      a KanesMethod or LagrangesMethod
    parameters  numbers of constants, see set()
    initial     initial coordinates and speeds, see set_initial()
    inputs      functions of time that are neither coordinates nor speeds, see set_input()

    Dependent coordinates and speeds are solved for: the ones that KanesMethod names, or with LagrangesMethod the ones
    without an initial value. In all rows speeds satisfy the velocity constraints to round-off; after each step coordinates
    satisfy the configuration constraints. Units follow from the given numbers; times are in s.
    """

    def __init__(
        self,
        method: Method,
        parameters: Values | None = None,
        initial: Replacements | None = None,
        inputs: Mapping[Expression, Input] | None = None,
    ) -> None:
        self._system = _core._SymbolicSystem(_motion_of(method))
        self._method = method
        self._cast: Cast | None = None
        self._values: dict[Expression, float] = {}  # of parameters, for pictures
        self._inputs: dict[Expression, Input] = {}
        if parameters is not None:
            self.set(parameters)
        if initial is not None:
            self.set_initial(initial)
        for symbol, value in (inputs or {}).items():
            self.set_input(symbol, value)

    @property
    def q(self) -> FixedTuple:
        """The coordinates, in the order of a result's columns."""
        return FixedTuple(self._system.q, _FIXED)

    @property
    def u(self) -> FixedTuple:
        """The speeds, in the order of a result's columns; with LagrangesMethod the rates of q."""
        return FixedTuple(self._system.u, _FIXED)

    @property
    def multipliers(self) -> FixedTuple:
        """lam1, lam2 ..., for outputs: the forces along the velocity constraints, with LagrangesMethod of opposite sign."""
        return FixedTuple(self._system.multipliers, _FIXED)

    def set(self, parameters: Values) -> None:
        """Give numbers to constants, replacing earlier ones. InputError for anything else than a constant."""
        self._system.set(parameters)
        self._values.update(parameters)

    def set_input(self, input: Expression, value: Input, *, knots: Sequence[float] = ()) -> None:
        """Set a function of time that is neither coordinate nor speed, such as a drive or the force of a controller.

        value: one of
        - an expression of t, coordinates, speeds and parameters; the input's derivatives follow from it;
        - a function of t (s), or of t and copies of the coordinates q (nq) and speeds u (nu) in the order of system.q and
          system.u, which returns a number. It must depend on nothing else, because steps are tried and repeated;
        - increasing times (n) and values (n), interpolated linearly and held before and after.
        The derivatives of the last two are unknown: they may appear in forces, outputs and the values that events set.
        knots: times (s) at which a function or its slope jumps, and at which steps of variable length end; for a table, its
        times. Without knots, a jump between the ends of a step may be missed.

        An exception in a function ends the run and is raised by simulate(), with the rows so far as its `result`.
        """
        self._give_input(input, value, knots)
        self._inputs[input] = value

    def _give_input(self, input: Expression, value: Input, knots: Sequence[float]) -> None:
        if callable(value) and not isinstance(value, Expression):
            self._system.set_input_function(input, value, _takes_state(value, input), list(knots))
            return
        if len(knots) > 0:
            raise InputError(f"knots: allowed with a function alone; the input {input} is given otherwise")
        if isinstance(value, tuple):
            import numpy as np

            if len(value) != 2:
                raise InputError(f"the input {input}: {len(value)} arrays; allowed are times and values")
            times, values = (np.asarray(one, dtype=np.float64) for one in value)
            if times.ndim != 1 or values.ndim != 1:
                raise InputError(f"the input {input} has the shapes {times.shape} and {values.shape}; allowed are (n,) and (n,)")
            self._system.set_input_table(input, times.tolist(), values.tolist())
        elif getattr(value, "shape", ()) != ():
            raise InputError(
                f"the input {input}: an array of the shape {value.shape}; allowed is a pair (times, values)"  # type: ignore[union-attr]
            )
        else:
            self._system.set_input(input, value)

    def set_initial(self, values: Replacements) -> None:
        """Set initial coordinates and speeds: numbers, or expressions of parameters; default 0.

        For a dependent one, the value is a guess, near which all constraints are satisfied.
        """
        self._system.set_initial(values)

    def set_guess(self, values: Replacements) -> None:
        """Set guesses for coordinates that have no initial value and follow from constraints; default 0."""
        self._system.set_guess(values)

    def add_invariant(self, invariant: Expression) -> None:
        """Add an expression in q and t that vanishes along the motion, such as the norm of Euler parameters less 1.

        After each step coordinates are corrected so that it vanishes.
        """
        self._system.add_invariant(invariant)

    def add_output(self, name: str, value: Expression | float, unit: str = "") -> None:
        """Record an expression of t, coordinates, speeds, their rates, multipliers, inputs and parameters as a column."""
        self._system.add_output(name, value, unit)

    def add_energies(self, frame: ReferenceFrame, *bodies: Body | Sequence[Body]) -> None:
        """Record `energy.kinetic`, `energy.potential` and `energy.total`, J, of bodies or lists of them.

        The potential energy is the sum of the bodies' potential_energy and the energy of their weights. A weight is a
        load that acts at a mass centre and is constant in the frame; if the load is not constant, its constant terms that
        contain a symbol of the body's mass. If the potential_energy that was set has the gradient of the weights or contains
        one of their symbols, such as g, it already includes them. InputError if this is not clear: for weights without symbols
        in addition to another potential energy.
        """
        flat = [one for some in bodies for one in (some if isinstance(some, (list, tuple)) else [some])]
        self._system.add_energies(frame, flat)

    def add_event(
        self,
        name: str,
        when: Expression,
        direction: str = "both",
        *,
        set: Replacements | None = None,
        terminal: bool = False,
        tolerance: float = 0.0,
    ) -> None:
        """Add an event where `when`, an expression of t, coordinates and speeds, crosses zero: `rising`, `falling` or `both`.

        set: new values of coordinates and speeds, from the state before: {u: -0.8 * u}; an impulse of the constraints then
        restores the velocity constraints. terminal: the run ends. tolerance (s) of the event's time: 0 is the resolution
        of the time. The column `event` of a result has the number of the event, from 1.
        """
        self._system.add_event(name, when, direction, set, terminal, tolerance)

    def set_scene(
        self,
        origin: Point,
        frame: ReferenceFrame | None = None,
        *,
        bodies: Iterable[Body] | None = None,
        lines: Iterable[Sequence[Point]] = (),
        shapes: Mapping[Body, Shape | Sequence[Shape]] | None = None,
        up: Vector | None = None,
    ) -> None:
        """Set the scene that draw() and animate() show for later runs.

        origin  a point at rest in the inertial frame
        frame   the inertial frame; default the method's
        bodies  default the method's; each is drawn as a ball at its mass centre, whose eighths turn with its frame
        lines   points that rods join: [(O, P), (P, Q)]
        shapes  {body: shape} instead of the ball: {"type": "cylinder", "radius": r, "length": 0.1} and the others of
                docs/model_file.md, with numbers or expressions of parameters, from the mass centre in the body's frame;
                several in a list
        up      a vector along the axis of the frame that is drawn upwards; default frame.z

        InputError if the position of a point from the origin is unknown.
        """
        from .symbolic_scene import Cast

        self._cast = Cast(self._method, self.q, self.u, origin, frame, bodies, lines, shapes, up)

    def initial_state(self, t: float = 0.0) -> dict[Expression, float]:
        """The initial coordinates and speeds at t (s), consistent with all constraints. InputError if there are none near."""
        return self._system.initial_state(t)

    def evaluate_at_start(self, expressions: Sequence[Expression | float]) -> npt.NDArray[np.float64]:
        """(expressions) The values of expressions, as in add_output(), at the initial state."""
        return self._system.evaluate_at_start(list(expressions))

    def simulate(
        self,
        duration: float | None = None,
        *,
        every: float | None = None,
        t_eval: npt.ArrayLike | None = None,
        start: float = 0.0,
        integrator: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        dt: float | None = None,
        progress: bool | Progress = False,
        out: str | os.PathLike[str] | None = None,
        max_steps: int | None = None,
        max_wall: float | None = None,
        max_rows: float | None = None,
        check: bool = True,
    ) -> SymbolicResult:
        """Simulate from the initial state to the end of the duration.

        duration    s; with t_eval, by default until the last of its times
        every       s between rows, default a hundredth of the duration; 0: the first and the last row only
        t_eval      (rows) s, increasing: times of the rows instead; events add theirs
        start       s, the time at the beginning
        integrator  one of sestina.integrator_names(), default `dormand_prince_54`
        rtol, atol  tolerances of a step of variable length, default 1e-8 and 1e-10
        dt          s, fixed steps of this length instead
        progress    True shows a bar; a function is called about ten times a second with the time since the start (s), the
                    duration (s), the wall time (s) and the number of steps
        out         a result file (.csv, .h5) to which the rows are also written during the run
        max_steps   a run that would take more steps fails with that reason, and keeps its rows
        max_wall    s of wall time, likewise
        max_rows    refuse a run for which `every` gives more rows; default 1e7
        check       False returns the result of a run that fails; True raises ComputationError with the result as `result`

        InputError if the description is wrong. Ctrl-C ends the run: the rows so far are returned, and
        `result.report.status` is `interrupted`. During the run other threads may work on symbols.
        """
        times: list[float] = []
        if t_eval is not None:
            import numpy as np

            rows = np.asarray(t_eval, dtype=np.float64)
            if rows.ndim != 1 or len(rows) == 0:
                raise InputError(f"t_eval has the shape {rows.shape}; allowed is (rows,), at least one")
            if every is not None:
                raise InputError(f"every: {every!r} is given together with t_eval; allowed is one of them")
            times = rows.tolist()
            for i in range(1, len(times)):
                if not times[i] > times[i - 1]:
                    raise InputError(f"t_eval[{i}] is {times[i]:g} s, after {times[i - 1]:g} s; allowed are times that rise")
        if duration is None:
            if not times:
                raise InputError("duration: there is neither a duration nor t_eval")
            duration = times[-1] - start
        rows_every = duration / 100 if every is None else every
        with watch(progress) as callback:
            table, report, raised = self._system.simulate(
                start, duration, rows_every, times, integrator, rtol, atol, dt, callback, out, max_steps, max_wall, max_rows
            )
        result = SymbolicResult(table, report, self)
        if raised is not None and check:
            _raise_with_result(raised, result)
        if report.status == "failed" and check:
            raise ComputationError(report.failure, report.t, report.reason, result)
        return result

    def __repr__(self) -> str:
        return f"<sestina.symbolic.SymbolicSystem with {len(self.q)} coordinates and {len(self.u)} speeds>"


class SteadyMotion(NamedTuple):
    """A state in which all speeds are constant."""

    values: dict[Expression, float]  #: of all coordinates and speeds, and of unknown parameters
    multipliers: list[float]  #: of the velocity constraints
    steps: int  #: of Newton's method
    residual: float  #: the largest of what should vanish
    is_isolated: bool  #: whether there are no others nearby


def find_equilibrium(method: Method, parameters: Values | None = None, guess: Values | None = None) -> SteadyMotion:
    """Find a state of rest: coordinates at which nothing begins to move.

    method: a KanesMethod or LagrangesMethod; parameters: numbers of constants, and of t where the equations depend on the
    time; guess: coordinates where Newton's method starts, default 0. If coordinates move although all speeds are zero
    (q' = u + V), speeds are sought too. If none is found, InputError names the equation with the largest error.
    """
    return SteadyMotion(*_core._find_equilibrium(_motion_of(method), parameters, guess))


def find_steady_motion(
    method: Method,
    parameters: Values | None = None,
    *,
    values: Values | None = None,
    unknowns: Iterable[Expression],
    unsteady: Iterable[Expression] = (),
) -> SteadyMotion:
    """Find coordinates, speeds or parameters for which all speeds are constant.

    values     of coordinates and speeds, default 0; for unknowns, where Newton's method starts
    unknowns   coordinates, speeds and parameters that are sought
    unsteady   speeds that may change

    There may be more equations than unknowns or fewer; if there are many solutions, one is found. InputError if there is
    none, or if the equations hold at one instant only because coordinates continue to move.
    """
    return SteadyMotion(
        *_core._find_steady_motion(_motion_of(method), parameters, values, list(unknowns), list(unsteady))
    )


class StabilityChange(NamedTuple):
    """The point at which the real part of an eigenvalue becomes positive or ceases to be: it crosses zero, or leaves it where
    undamped modes meet."""

    value: float  #: of the parameter
    eigenvalue: complex  #: of a conjugate pair the one with positive imaginary part
    is_stabilised: bool  #: whether its real part ceases to be positive where the parameter grows


class EigenvalueBranches(NamedTuple):
    """Eigenvalues as functions of a parameter."""

    values: npt.NDArray[np.float64]  #: (n) of the parameter
    branches: npt.NDArray[np.complex128]  #: (eigenvalues, n)
    changes: list[StabilityChange]  #: where one becomes stable or unstable, located far beyond the distance of the values


def calc_eigenvalues(A: Matrix, parameters: Values | None = None) -> npt.NDArray[np.complex128]:
    """(n) Eigenvalues of a square matrix of numbers and parameters, sorted by decreasing real, then imaginary part."""
    import numpy as np

    return np.array(_core._calc_eigenvalues(A, parameters), dtype=np.complex128)


def calc_eigenvalue_branches(
    A: Matrix, parameter: Expression, values: npt.ArrayLike, parameters: Values | None = None
) -> EigenvalueBranches:
    """Follow each eigenvalue of a square matrix from value to value of a parameter, and find where stability changes.

    values: (n) of the parameter, increasing or decreasing; parameters: numbers of all others. Eigenvalues are matched such
    that the sum of their distances from the linear extrapolation of the last two is least. An eigenvalue that only touches
    zero at one of the values is no change; two changes between neighbouring values that cancel may be missed.
    """
    import numpy as np

    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1:
        raise InputError(f"values has the shape {numbers.shape}; allowed is (n,)")
    data, branches, changes = _core._calc_eigenvalue_branches(A, parameter, numbers.tolist(), parameters)
    return EigenvalueBranches(
        np.array(data),
        np.array(branches, dtype=np.complex128).reshape(len(branches), len(data)),
        [StabilityChange(*change) for change in changes],
    )
