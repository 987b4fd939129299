"""Functions compiled from expressions: their values, one by one and on arrays, and their parameters."""

from __future__ import annotations

import concurrent.futures
import math
import random
import threading

import numpy as np
import pytest
import sestina
from sestina import symbolic as sm


def test_out_of_a_compiled_function_may_share_memory_with_its_variables():
    x, y = sm.symbols("x y")
    function = sm.CompiledFunction([x + y, x * y], [x, y])
    numbers = np.linspace(0.0, 1.0, 2 * 600).reshape(600, 2)
    expected = function(numbers)
    for written, read in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
        rows = numbers.copy()
        out = rows[written]
        assert function(rows[read], out=out) is out
        np.testing.assert_array_equal(rows[written], expected[read])
    rows = numbers.copy()
    np.testing.assert_array_equal(function(rows, out=rows), expected)


def test_compiled_functions_notice_every_change_of_a_parameter():
    x, a = sm.symbols("x a")
    function = sm.CompiledFunction([x * sm.sin(a), x / a], [x], [a])
    parameters = np.array([2.0])
    for value in (2.0, 2.0, 3.0, np.nextafter(3.0, 4.0), 0.0, -0.0, 2.0):
        parameters[0] = value
        fresh = sm.CompiledFunction([x * sm.sin(a), x / a], [x], [a])([1.5], parameters)
        np.testing.assert_array_equal(function([1.5], parameters), fresh)
    assert function([1.0], [-0.0])[1] == -math.inf and function([1.0], [0.0])[1] == math.inf


def test_compiled_functions_are_called_by_threads_with_parameters_of_their_own():
    x, a = sm.symbols("x a")
    function = sm.CompiledFunction([x * sm.sin(a)], [x], [a])

    def differs(value):
        expected = function([0.5], [value])[0]
        return any(function([0.5], [value])[0] != expected for _ in range(2000))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert not any(pool.map(differs, [0.1, 0.2, 0.3, 0.4]))


def test_compiled_functions_on_arrays():
    x, y, a = sm.symbols("x y a")
    outputs = sm.Matrix([[a * sm.sin(x), x * y], [1, y / a]])
    function = sm.CompiledFunction(outputs, [x, y], [a])
    points = np.random.default_rng(1).standard_normal((3, 500, 2))
    values = function(points, [2.0])
    assert values.shape == (3, 500, 2, 2)
    X, Y = points[..., 0], points[..., 1]
    np.testing.assert_allclose(values[..., 0, 0], 2 * np.sin(X), rtol=1e-15)
    np.testing.assert_allclose(values[..., 1, 1], Y / 2, rtol=1e-15)
    assert (values[..., 0, 1] == X * Y).all() and (values[..., 1, 0] == 1).all()
    assert (function(points[1, 7], [2.0]) == values[1, 7]).all()
    assert (function(points[0, :3], [[2.0]]) == values[0, :3]).all()
    out = np.empty_like(values)
    assert function(points, [2.0], out=out) is out and (out == values).all()
    by_set = function(points[0, 0], np.array([[1.0], [2.0]]))
    np.testing.assert_allclose(by_set[:, 0, 0], np.array([1, 2]) * math.sin(points[0, 0, 0]), rtol=1e-15)
    assert sm.CompiledFunction(x * y, [x, y])([2, 3]) == 6
    assert sm.CompiledFunction([x, y], [x, y])(np.ones((0, 2))).shape == (0, 2)
    for wrong in [lambda: function(points), lambda: function(points[..., :1], [1.0]), lambda: function(points, [1.0, 2.0])]:
        with pytest.raises(sestina.InputError):
            wrong()
    for wrong in [
        lambda: sm.CompiledFunction([x], [y]),
        lambda: sm.CompiledFunction([x], [x, x]),
        lambda: sm.CompiledFunction([x], [x + y]),
        lambda: sm.CompiledFunction([], [x]),
    ]:
        with pytest.raises(sestina.InputError):
            wrong()


def test_compiled_functions_run_in_threads():
    x, y = sm.symbols("x y")
    function = sm.CompiledFunction([sm.sin(x * y) ** 2], [x, y])
    points = np.random.default_rng(1).standard_normal((20000, 2))
    expected, found = function(points), {}
    threads = [threading.Thread(target=lambda i=i: found.update({i: function(points)})) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((found[i] == expected).all() for i in range(4))
