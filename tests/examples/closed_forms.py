"""Mathematics with which the results of the examples are compared; independent of Sestina."""

import math


def solve(matrix, right):
    """Gaussian elimination with partial pivoting."""
    n = len(right)
    a = [list(row) + [b] for row, b in zip(matrix, right)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[pivot] = a[pivot], a[k]
        for i in range(k + 1, n):
            factor = a[i][k] / a[k][k]
            for j in range(k, n + 1):
                a[i][j] -= factor * a[k][j]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][j] * x[j] for j in range(i + 1, n))) / a[i][i]
    return x


def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def transpose(a):
    return [list(row) for row in zip(*a)]


def apply(a, x):
    return [sum(p * q for p, q in zip(row, x)) for row in a]


def integrate(acceleration, q, u, h, times):
    """(q, u) at the times, multiples of h, by the classical Runge-Kutta rule for q'' = acceleration(q, q')."""
    state, t, found = list(q) + list(u), 0, []
    n = len(q)

    def slope(x):
        return x[n:] + acceleration(x[:n], x[n:])

    for time in times:
        while t < round(time / h):
            k1 = slope(state)
            k2 = slope([x + h / 2 * k for x, k in zip(state, k1)])
            k3 = slope([x + h / 2 * k for x, k in zip(state, k2)])
            k4 = slope([x + h * k for x, k in zip(state, k3)])
            state = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(state, k1, k2, k3, k4)]
            t += 1
        found.append((state[:n], state[n:]))
    return found


def complete_elliptic_k(k_squared):
    """K by the arithmetic-geometric mean (Abramowitz and Stegun, 17.6)."""
    a, b = 1.0, math.sqrt(1.0 - k_squared)
    for _ in range(8):  # quadratic convergence; the last bit may go on changing
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


def laguerre(n, x):
    """[L_0(x), ..., L_n(x)]"""
    values = [1.0, 1.0 - x]
    for j in range(1, n):
        values.append(((2 * j + 1 - x) * values[j] - j * values[j - 1]) / (j + 1))
    return values[: n + 1]


def smallest_laguerre_zero(n):
    low, high = 0.0, 0.0
    while laguerre(n, high)[n] > 0:
        low, high = high, high + 0.01
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if laguerre(n, middle)[n] > 0 else (low, middle)
    return low


def regulator_gains(a, b, q, r):
    """K of u = -K x that minimises the integral of x' diag(q) x + r u^2 for x' = a x + b u: the steady state
    of the Riccati differential equation, reached by Euler's rule (whose steady state is the same)."""
    n, h = len(b), 5e-4
    p = [[0.0] * n for _ in range(n)]
    while True:
        pb, pa = apply(p, b), multiply(p, a)
        rate = [[pa[i][j] + pa[j][i] - pb[i] * pb[j] / r + (q[i] if i == j else 0.0) for j in range(n)]
                for i in range(n)]
        p = [[x + h * d for x, d in zip(row, rates)] for row, rates in zip(p, rate)]
        if max(abs(d) for row in rate for d in row) < 1e-8:
            return [x / r for x in apply(p, b)]


def exponential(a, t):
    """exp(a t) by scaling and squaring of the Taylor series."""
    n, squarings = len(a), 20
    scaled = [[x * t / 2**squarings for x in row] for row in a]
    identity = [[float(i == j) for j in range(n)] for i in range(n)]
    term = total = identity
    for k in range(1, 8):
        term = [[x / k for x in row] for row in multiply(term, scaled)]
        total = [[x + y for x, y in zip(p, q)] for p, q in zip(total, term)]
    for _ in range(squarings):
        total = multiply(total, total)
    return total


def rotation(axis, angle):
    """Rodrigues' formula."""
    length = math.sqrt(sum(x * x for x in axis))
    x, y, z = (e / length for e in axis)
    c, s = math.cos(angle), math.sin(angle)
    v = 1 - c
    return [[c + x * x * v, x * y * v - z * s, x * z * v + y * s],
            [y * x * v + z * s, c + y * y * v, y * z * v - x * s],
            [z * x * v - y * s, z * y * v + x * s, c + z * z * v]]


def rotation_of_euler_parameters(e0, e1, e2, e3):
    length = math.sqrt(e1 * e1 + e2 * e2 + e3 * e3)
    return rotation([e1, e2, e3] if length else [1, 0, 0], 2 * math.atan2(length, e0))


def rpy(roll, pitch, yaw):
    return multiply(rotation([0, 0, 1], yaw), multiply(rotation([0, 1, 0], pitch), rotation([1, 0, 0], roll)))
