"""Many simulations of one model, stepped together by the caller."""

from __future__ import annotations

import copy
import math
import numbers
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core
from ._core import Model, System
from .errors import ComputationError, InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    #: controller(t, q, u) or controller(t, q, u, memory): tau (count, nu).
    BatchControlLaw = Callable[..., npt.ArrayLike]

_SAME_TIME = 1e-9  # of a period: samples closer in time coincide
_NEGLIGIBLE = 1e-6  # a remaining part of a sub-step below this is round-off


def _rows(name: str, given: npt.ArrayLike, count: int, width: int, may_repeat: bool = True) -> Array:
    """A copy (count, width); one row stands for all members."""
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: no array of floating-point numbers") from None
    allowed = [(count, width), (width,)] if may_repeat else [(count, width)]
    if array.shape not in allowed:
        raise InputError(f"{name} has the shape {array.shape}; allowed is {' or '.join(map(str, allowed))}")
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{name}{list(place)} is {array[place]}; allowed is a finite number")
    return array if array.ndim == 2 else np.tile(array, (count, 1))


def _whole(name: str, number: Any, least: int) -> int:
    if not isinstance(number, numbers.Integral) or number < least:
        raise InputError(f"{name}: {number!r} is not a whole number from {least}")
    return int(number)


class _Sampling:
    """A controller that samples all members once in each period; sample k acts from t_k + delay_samples periods."""

    def __init__(self, law: BatchControlLaw, period: float, delay_samples: int, memory: Any, shape: tuple[int, int]) -> None:
        if not callable(law):
            raise InputError(f"controller: {law!r} cannot be called")
        if not (period > 0 and math.isfinite(period)):
            raise InputError(f"period: {period!r} s is not a period: allowed is a positive number")
        self.law, self.period, self.delay = law, float(period), _whole("delay_samples", delay_samples, 0)
        self.first_memory = copy.deepcopy(memory)
        self.shape = shape
        self.t_start, self.samples = 0.0, 0
        self.memory: Any = None
        self.waiting: deque[Array] = deque()  # outputs that do not act yet
        self.tau: Array = np.zeros(shape)

    @property
    def same_time(self) -> float:
        return _SAME_TIME * self.period

    @property
    def next_sample(self) -> float:
        return self.t_start + self.samples * self.period

    def start(self, t: float) -> None:
        self.t_start, self.samples = t, 0
        self.memory = copy.deepcopy(self.first_memory)
        self.waiting = deque()
        self.tau = np.zeros(self.shape)

    def update(self, t: float, q: Array, u: Array) -> None:
        """Takes the sample that is due at t (s)."""
        if self.next_sample > t + self.same_time:
            return
        arguments = (t, q.copy(), u.copy()) if self.first_memory is None else (t, q.copy(), u.copy(), self.memory)
        data = self.law(*arguments)
        if data is None:
            raise InputError(f"the controller returned None; allowed are generalised forces {self.shape}")
        self.waiting.append(_rows("the controller's tau", data, self.shape[0], self.shape[1], may_repeat=False))
        self.samples += 1
        if len(self.waiting) > self.delay:
            self.tau = self.waiting.popleft()

    def save(self) -> tuple[Any, ...]:
        return self.t_start, self.samples, copy.deepcopy(self.memory), tuple(self.waiting), self.tau

    def restore(self, saved: tuple[Any, ...]) -> None:
        t_start, samples, memory, waiting, tau = saved
        if len(waiting) != min(samples, self.delay):
            raise InputError("the saved state belongs to another controller: its delay differs")
        self.t_start, self.samples, self.tau = t_start, samples, tau
        self.memory, self.waiting = copy.deepcopy(memory), deque(waiting)


class BatchSnapshot(NamedTuple):
    """The state of a BatchSimulator at an instant, with its controller's memory; returned by BatchSimulator.save()."""

    t: float  #: s
    q: Array  #: (count, nq)
    u: Array  #: (count, nu)
    given_tau: Array  #: (count, nu) that of step()
    failed: npt.NDArray[np.bool_]  #: (count) which members have failed
    clock: tuple[float, float, float, int]
    controller: tuple[Any, ...] | None


class BatchSimulator:
    """`count` simulations of one model, stepped together in SIMD lanes and on threads.

    simulator = sestina.BatchSimulator(model, 1000)
    q, u = simulator.step(1e-3, tau)            # (1000, nq), (1000, nu)

    model       a Model, or a System, which is then frozen
    count       number of members
    integrator  forward_euler, rk4, rkf45 or dormand_prince_54; the rule restarts in each step
    substeps    equal steps of the rule in one step
    check       whether a member whose step cannot be completed raises ComputationError, which names it. With False that
                member keeps its last state and is marked in `failed`, and the others continue

    Each member does what a Simulator does, up to rounding; all members share one time. Raises InputError, with the reason,
    if the model cannot be stepped in lanes because it has events, contacts, constraints or forces in Python. An object
    must not be used by several threads at once.
    """

    def __init__(
        self, model: Model | System, count: int, *, integrator: str = "rk4", substeps: int = 1, check: bool = True
    ) -> None:
        if isinstance(model, System):
            model = model.freeze()
        if not isinstance(model, Model):
            raise InputError(f"model is of type {type(model).__name__}; allowed is a Model or a System")
        self.count = _whole("count", count, 1)
        self._substeps = _whole("substeps", substeps, 1)
        reason = _core._explain_no_batch_steps(model, integrator)
        if reason:
            raise InputError(f"no steps of many members together: {reason}; take a Simulator for each")
        self.model = model
        self._rule: dict[str, Any] = {"integrator": integrator}
        self._check = check
        self._sampling: _Sampling | None = None
        self._is_at_work = False
        self._next = np.empty((self.count, model.nq)), np.empty((self.count, model.nu))
        self.reset()

    # ---- the state ---------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """s"""
        return self._t

    @property
    def q(self) -> Array:
        """(count, nq) A new array."""
        return self._q.copy()

    @property
    def u(self) -> Array:
        """(count, nu) A new array."""
        return self._u.copy()

    @property
    def tau(self) -> Array:
        """(count, nu) The generalised forces at the end of the last step (N m, N): the given ones plus the controller's."""
        return self._tau.copy()

    @property
    def memory(self) -> Any:
        """The controller's present memory; None without a controller."""
        return None if self._sampling is None else self._sampling.memory

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """(count) Whether each member has failed since the last reset() or set_state(); a new array."""
        return self._failed.copy()

    def reset(self, q: npt.ArrayLike | None = None, u: npt.ArrayLike | None = None, t: float = 0.0) -> None:
        """Restarts at q (count, nq) or (nq), u (count, nu) or (nu) and t (s); by default the model's initial state.

        tau becomes zero, and the controller starts at t with its initial memory.
        """
        self._refuse_at_work()
        first_q = self._checked_q(self.model.q0 if q is None else q)
        first_u = _rows("u", self.model.u0 if u is None else u, self.count, self.model.nu)
        if not math.isfinite(t):
            raise InputError(f"t is {t} s; allowed is a finite number")
        self._q, self._u, self._t = first_q, first_u, float(t)
        self._given = np.zeros_like(self._u)
        self._tau = np.zeros_like(self._u)
        self._failed = np.zeros(self.count, dtype=bool)
        self._clock = (self._t, 0.0, self._t, 0)
        if self._sampling is not None:
            self._sampling.start(self._t)

    def set_state(self, q: npt.ArrayLike | None = None, u: npt.ArrayLike | None = None) -> None:
        """Sets q or u at the present time, in the shapes that reset() accepts: to push members, or to restart some of them.

        Members that have failed continue from there.
        """
        self._refuse_at_work()
        new_q = self._q if q is None else self._checked_q(q)
        new_u = self._u if u is None else _rows("u", u, self.count, self.model.nu)
        self._q, self._u = new_q, new_u
        self._failed = np.zeros(self.count, dtype=bool)

    def _checked_q(self, given: npt.ArrayLike) -> Array:
        q = _rows("q", given, self.count, self.model.nq)
        return q if self.model.nq == self.model.nu else np.array(self.model.normalize(q))

    # ---- the controller ----------------------------------------------------------------------------------------------

    def set_controller(
        self, controller: BatchControlLaw, period: float, *, delay_samples: int = 0, memory: Any = None
    ) -> None:
        """Sets a controller, called once in each period (s) for all members, starting now.

        controller(t, q, u) is given the time (s) and copies of q (count, nq) and u (count, nu), and returns tau (count, nu;
        N m, N), which is held until the next sample and added to the tau of step(). It acts `delay_samples` periods later.
        With `memory`, any object that can be copied, such as a dict of arrays, it is controller(t, q, u, memory) and may
        change that object: save() and restore() copy it, reset() begins with a copy of what was given. An exception of the
        controller ends the step, and is raised there.
        """
        self._refuse_at_work()
        self._sampling = _Sampling(controller, period, delay_samples, memory, (self.count, self.model.nu))
        self._sampling.start(self._t)

    def remove_controller(self) -> None:
        """Removes the controller: from now on only the tau given to step() acts."""
        self._refuse_at_work()
        self._sampling = None

    # ---- steps -------------------------------------------------------------------------------------------------------

    def step(
        self, dt: float, tau: npt.ArrayLike | None = None, *, out: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        """Steps from t to t + dt (s); returns q (count, nq) and u (count, nu) there, in new arrays or in `out`.

        tau (count, nu) or (nu) is added to the generalised forces of the model and held: over this step and those after it,
        until another one is given.
        """
        self._refuse_at_work()
        end = self._end_of(dt)
        if tau is not None:
            self._given = _rows("tau", tau, self.count, self.model.nu)
        self._is_at_work = True
        try:
            while self._t < end:
                self._run_to(self._next_stop(end), dt / self._substeps)
        finally:
            self._is_at_work = False
        first, length, _, steps = self._clock
        self._clock = (first, length, self._t, steps + 1)
        if out is None:
            return self.q, self.u
        np.copyto(out[0], self._q)
        np.copyto(out[1], self._u)
        return out

    def _end_of(self, dt: float) -> float:
        """Steps of one length end at t_first + k dt, so that rounding errors do not accumulate."""
        if not (dt > 0 and math.isfinite(dt)):
            raise InputError(f"dt is {dt:g} s; allowed is a positive number")
        first, length, last, steps = self._clock
        if dt != length or self._t != last:
            first, steps = self._t, 0
            self._clock = (first, dt, last, 0)
        end = first + (steps + 1) * dt
        if not (end > self._t and math.isfinite(end)):
            raise InputError(f"dt is {dt:g} s, which does not advance the time from {self._t:g} s")
        return end

    def _next_stop(self, end: float) -> float:
        """Calculates tau; returns the next sample (s), or the end of the step."""
        self._tau = self._given
        if self._sampling is None:
            return end
        self._sampling.update(self._t, self._q, self._u)
        self._tau = self._given + self._sampling.tau
        # A sample that is due at the end is taken at the beginning of the next step.
        return min(end, self._sampling.next_sample) if self._sampling.next_sample < end - self._sampling.same_time else end

    def _run_to(self, stop: float, longest: float) -> None:
        interval = stop - self._t
        count = max(1, math.ceil(interval / longest - _NEGLIGIBLE))

        def take(check: bool) -> None:
            self.model.step(
                self._q, self._u, self._tau, interval, t=self._t, substeps=count, out=self._next, check=check, **self._rule
            )

        try:
            take(check=not self._failed.any())
        except ComputationError:
            if self._check:
                raise
            take(check=False)
        q, u = self._next
        if not self._check:
            self._failed |= np.isnan(q).any(axis=1) | np.isnan(u).any(axis=1)
            q[self._failed], u[self._failed] = self._q[self._failed], self._u[self._failed]
        self._next = self._q, self._u
        self._q, self._u, self._t = q, u, stop

    def _refuse_at_work(self) -> None:
        if self._is_at_work:
            raise InputError("the simulator is in the middle of a step, in which it cannot be changed")

    # ---- values ------------------------------------------------------------------------------------------------------

    def save(self) -> BatchSnapshot:
        """Returns the whole state of the simulator, including the controller's memory and delayed forces."""
        self._refuse_at_work()
        controller = None if self._sampling is None else self._sampling.save()
        return BatchSnapshot(self._t, self.q, self.u, self._given.copy(), self.failed, self._clock, controller)

    def restore(self, snapshot: BatchSnapshot) -> None:
        """Continues from a snapshot, bit for bit. Raises InputError if its model, count or controller differs."""
        self._refuse_at_work()
        if snapshot.q.shape != self._q.shape or snapshot.u.shape != self._u.shape:
            raise InputError("the saved state belongs to another model or to another number of members")
        if (snapshot.controller is None) != (self._sampling is None):
            there = "no controller, but there is one here" if snapshot.controller is None else "a controller, which is missing here"
            raise InputError(f"the saved state has {there}")
        if self._sampling is not None and snapshot.controller is not None:
            self._sampling.restore(snapshot.controller)
        self._t, self._q, self._u = snapshot.t, snapshot.q.copy(), snapshot.u.copy()
        self._given, self._failed = snapshot.given_tau.copy(), snapshot.failed.copy()
        self._clock = snapshot.clock

    def __repr__(self) -> str:
        name = self.model.name or "a model without a name"
        return f"<sestina.BatchSimulator of {self.count} times {name}: t = {self._t:g} s, {self._rule['integrator']}>"
