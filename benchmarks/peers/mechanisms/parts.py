"""PARTS, a plane robot of triangular cells that change their shape: Exudyn's example `PARTS_ATEs_moving.py`.

Two rows of squares, each cut along its diagonal into two cells. A cell has a linkage of six bars at each corner, and an
actuator (a prismatic joint with a spring and a damper) on each side; stiff springs connect the cells. The left side is held,
and two forces pull at the right one. Exudyn's bodies have three coordinates each. Sestina's are carried by each other within a
cell (`relative`), or float and are held in the plane (`cartesian`); no condition is implied by others in either.
"""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

from collections import deque
from math import acos, atan2, cos, dist, hypot, pi, sin
from typing import Any, NamedTuple

import exudyn.itemInterface as items

import sestina

from . import engines, plane
from .engines import Rule
from .plane import Place, moved, turned

SIDE = 0.229  # m, of the squares
L1, L2, L3, L4 = 0.038, 0.029, 0.008, 0.010  # m
PSI = atan2(L3, L1)
CE = hypot(L1, L3)  # m
MASS, INERTIA = 1.0, 33.0  # kg, kg m^2, as in the example, which takes kg mm^2 for kg m^2
ACTUATOR_STIFFNESS, ACTUATOR_DAMPING = 1e5, 1e3  # N/m, N s/m
SEAM_STIFFNESS, SEAM_DAMPING = 1e8, 1e2  # N/m, N s/m
FORCE, RISE = 100.0, 8.0  # N, s
ROWS, TRIANGLES_IN_COLUMN = 2, 4
STEP, RADIUS = 0.01, 0.8  # s, spectral radius
COLUMNS = ["last_y"]  # m


class Point(NamedTuple):
    body: int
    place: Place  # m, in the body's axes


class Bar(NamedTuple):
    place: Place  # m, of the mass centre
    angle: float  # rad


class Pair(NamedTuple):
    a: Point
    b: Point


class Slide(NamedTuple):
    """b moves along the x-axis of a and does not turn against it."""

    a: Point
    b: Point
    length: float  # m, at the start and of the spring without load


class Cell(NamedTuple):
    bodies: range
    hinges: list[Pair]
    slides: list[Slide]
    sockets: list[Point]  # two for each side


class Corner(NamedTuple):
    outer: tuple[Point, Point]  # where actuators are attached
    sockets: tuple[Point, Point]


class Robot:
    """Bodies by number, and what connects them; independent of any engine."""

    def __init__(self, triangles: int) -> None:
        self.bodies: list[Bar] = []
        self.cells: list[Cell] = []
        self.seams: list[Pair] = []
        self.columns = triangles // TRIANGLES_IN_COLUMN
        top: list[Point] = []  # sockets of the upper sides of the row below
        for row in range(ROWS):
            top = self._add_row(row, top)
        self.loads = [(self.upper, (FORCE, -FORCE)), (self.lower, (-FORCE, -FORCE))]
        self.held = [k for k, body in enumerate(self.bodies) if round(body.place[0], 3) == L3]
        self.held_in_y = 0

    def _add_row(self, row: int, below: list[Point]) -> list[Point]:
        top: list[Point] = []
        bottom: list[Point] = []
        right: list[Point] = []  # sockets of the square before
        for column in range(self.columns):
            a, b = (SIDE * column, SIDE * row), (SIDE * (column + 1), SIDE * row)
            c, d = (b[0], SIDE * (row + 1)), (a[0], SIDE * (row + 1))
            first, second = self._add_cell(a, b, c), self._add_cell(a, c, d)
            self.seams += [Pair(first[5], second[0]), Pair(first[4], second[1])]
            if right:
                self.seams += [Pair(right[0], second[5]), Pair(right[1], second[4])]
            right = first[2:4]
            top += [second[3], second[2]]
            bottom += first[0:2]
        self.seams += [Pair(a, b) for a, b in zip(below, bottom)]
        if row == 0:
            self.lower = bottom[-1]
        self.upper = top[-1]
        return top

    def _add_cell(self, a: Place, b: Place, c: Place) -> list[Point]:
        """Returns its sockets: two on each of the sides ab, bc and ca."""
        start = len(self.bodies)
        along = atan2(b[1] - a[1], b[0] - a[0])
        ab, bc, ca = dist(a, b), dist(b, c), dist(c, a)
        at_a = acos((ca**2 + ab**2 - bc**2) / (2 * ca * ab))
        at_b = acos((bc**2 + ab**2 - ca**2) / (2 * bc * ab))
        at_c = pi - at_a - at_b
        hinges: list[Pair] = []
        corners = [
            self._add_corner(place, turn, angle, hinges)
            for place, turn, angle in ((a, along, at_a), (b, along + pi - at_b, at_b), (c, along - at_b - at_c, at_c))
        ]
        slides = [
            Slide(one.outer[0], two.outer[1], length - 2 * (L1 + L2))
            for one, two, length in zip(corners, corners[1:] + corners[:1], (ab, bc, ca))
        ]
        sockets = [p for one, two in zip(corners, corners[1:] + corners[:1]) for p in (one.sockets[0], two.sockets[1])]
        self.cells.append(Cell(range(start, len(self.bodies)), hinges, slides, sockets))
        return sockets

    def _add_corner(self, corner: Place, turn: float, angle: float, hinges: list[Pair]) -> Corner:
        """A linkage of six bars; `angle` is that of the cell at its corner."""
        crank = (L1 + CE * cos(angle - PSI), L3 + CE * sin(angle - PSI))  # the hinge of both bell cranks
        far = (CE * cos(angle - PSI), CE * sin(angle - PSI))
        out = turned((L2, 0.0), angle)
        points = {
            3: (L1, L3), 4: (L1 + L2, L3), 5: crank, 6: (crank[0] + L2, crank[1]), 7: (crank[0] + out[0], crank[1] + out[1]),
            8: far, 9: (far[0] + out[0], far[1] + out[1]),
        }

        def add(place: Place, own_turn: float) -> int:
            self.bodies.append(Bar(moved(corner, place, turn), turn + own_turn))
            return len(self.bodies) - 1

        def middle(i: int, j: int) -> Place:
            return ((points[i][0] + points[j][0]) / 2, (points[i][1] + points[j][1]) / 2)

        def arm(body: int, i: int) -> Point:
            return Point(body, (points[i][0] - crank[0], points[i][1] - crank[1]))

        def end(body: int, length: float) -> Point:
            return Point(body, (length / 2, 0.0))

        near, one, two = add(middle(3, 4), 0), add(crank, 0), add(middle(4, 6), angle - PSI)
        five, six, other = add(middle(7, 9), PSI), add(crank, 0), add(middle(9, 8), angle)
        hinges += [
            Pair(end(near, -L2), arm(one, 3)), Pair(end(near, L2), end(two, -CE)), Pair(end(five, CE), arm(one, 7)),
            Pair(end(other, L2), end(five, -CE)), Pair(end(other, -L2), arm(six, 8)),
            Pair(Point(one, (0.0, 0.0)), Point(six, (0.0, 0.0))), Pair(end(two, CE), arm(six, 6)),
        ]
        socket = -L2 / 2 - L4
        return Corner((end(near, L2), end(other, L2)), (Point(near, (socket, -L3)), Point(other, (socket, L3))))


# ---- Sestina --------------------------------------------------------------------------------------------------------


class SestinaRobot:
    """`coordinates`: relative, cartesian, or `plane`: relative coordinates with every body on a planar joint of the ground."""

    def __init__(self, triangles: int, coordinates: str) -> None:
        self.robot = Robot(triangles)
        self.system = system = sestina.System("PARTS", gravity=(0, 0, 0))
        system.analysis.coordinates = "relative" if coordinates == "plane" else coordinates
        self.points: dict[Any, str] = {}
        self.count = 0
        for k in range(len(self.robot.bodies)):
            system.add_rigid_body(f"bar_{k}", MASS, inertia={"xx": INERTIA, "yy": INERTIA, "zz": INERTIA})
        for cell in self.robot.cells:
            carried = range(0) if coordinates == "relative" else cell.bodies
            self.add_cell(cell, set(carried))
        for seam in self.robot.seams:
            self.add_force("cartesian_spring", seam, stiffness=[SEAM_STIFFNESS, SEAM_STIFFNESS, 0],
                           damping=[SEAM_DAMPING, SEAM_DAMPING, 0])
        self.add_supports()
        rise = f"if(t > {RISE}, 1, 0.01 + 0.99*(1 - cos(pi*t/{RISE})))"
        for point, force in self.robot.loads:
            value = [f"{component}*({rise})" for component in force] + ["0"]
            system.add_force(self.name("load"), "point_force", at=self.point(point), value=value)
        system.add_column("last_y", f"bar_{len(self.robot.bodies) - 1}.origin.y", unit="m")

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}_{self.count}"

    def point(self, point: Point, turn: float = 0.0) -> str:
        """A point of a body with axes turned against the body's."""
        key = (point, turn)
        if key not in self.points:
            name = self.name("p")
            self.system.body(f"bar_{point.body}").add_point(name, (*point.place, 0.0), axes={"rpy": [0, 0, turn]})
            self.points[key] = f"bar_{point.body}.{name}"
        return self.points[key]

    def add_force(self, kind: str, pair: Pair | Slide, **keys: Any) -> None:
        self.system.add_force(self.name(kind), kind, from_=self.point(pair.a), to=self.point(pair.b), **keys)

    def add_cell(self, cell: Cell, carried: set[int]) -> None:
        """Bodies are carried along hinges and slides from the cell's first; all `carried` stand on the ground."""
        for body in carried or cell.bodies[:1]:
            self.add_planar(body)
        waiting = deque(carried or cell.bodies[:1])
        reached = set(waiting)
        connections: list[Pair | Slide] = [*cell.hinges, *cell.slides]
        closed = set(range(len(connections)))
        while waiting:
            body = waiting.popleft()
            for k, connection in enumerate(connections):
                ends = connection.a.body, connection.b.body
                if body not in ends or k not in closed or set(ends) <= reached:
                    continue
                self.add_joint(connection, body == ends[0])
                closed.discard(k)
                reached |= set(ends)
                waiting.append(ends[1] if body == ends[0] else ends[0])
        for k in sorted(closed):
            self.close(connections[k])
        for slide in cell.slides:
            self.add_force("spring_damper", slide, stiffness=ACTUATOR_STIFFNESS, damping=ACTUATOR_DAMPING,
                           free_length=slide.length)

    def add_planar(self, body: int) -> None:
        bar = self.robot.bodies[body]
        self.system.add_joint(f"place_{body}", "planar", "ground.origin", f"bar_{body}.origin", q=[*bar.place, bar.angle])

    def add_joint(self, connection: Pair | Slide, forward: bool) -> None:
        parent, child = (connection.a, connection.b) if forward else (connection.b, connection.a)
        turn = self.robot.bodies[child.body].angle - self.robot.bodies[parent.body].angle
        name = f"place_{child.body}"
        if isinstance(connection, Pair):
            self.system.add_joint(name, "revolute", self.point(parent), self.point(child), axis=(0, 0, 1), q=turn)
        else:
            self.system.add_joint(
                name, "prismatic", self.point(parent), self.point(child, -turn), axis=(1, 0, 0), q=connection.length
            )

    def close(self, connection: Pair | Slide) -> None:
        system, a = self.system, self.point(connection.a)
        if isinstance(connection, Pair):
            system.add_constraint(
                self.name("pin"), "point_on_line", point=self.point(connection.b), line=a, axis=(0, 0, 1)
            )
            return
        far = Point(connection.b.body, (-connection.b.place[0], 0.0))
        for point in (connection.b, far):
            system.add_constraint(self.name("slide"), "point_on_plane", point=self.point(point), plane=a, normal=(0, 1, 0))

    def add_supports(self) -> None:
        system, robot = self.system, self.robot
        for body in robot.held:
            system.ground.add_point(f"held_{body}", (*robot.bodies[body].place, 0.0))
            system.add_constraint(
                self.name("hold"), "point_on_line", point=f"bar_{body}.origin", line=f"ground.held_{body}", axis=(0, 0, 1)
            )
        body = robot.held_in_y
        system.ground.add_point(f"held_{body}", (*robot.bodies[body].place, 0.0))
        system.add_constraint(
            self.name("hold"), "point_on_plane", point=f"bar_{body}.origin", plane=f"ground.held_{body}", normal=(0, 1, 0)
        )


def sestina_parts(triangles: int, coordinates: str = "relative") -> sestina.System:
    return SestinaRobot(triangles, coordinates).system


def sestina_run(triangles: int, duration: float, coordinates: str = "relative") -> engines.Run:
    system = sestina_parts(triangles, coordinates)
    return engines.sestina_run(system, duration, COLUMNS, engines.alpha(RADIUS), dt=STEP)


# ---- Exudyn ---------------------------------------------------------------------------------------------------------


def exudyn_run(triangles: int, duration: float, threads: int = 1) -> engines.Run:
    rule = Rule(STEP, RADIUS, sparse=True, threads=threads)
    robot = Robot(triangles)
    model = plane.Plane()
    system = model.system
    bodies = [model.add_body(MASS, INERTIA, bar.place, bar.angle) for bar in robot.bodies]
    for cell in robot.cells:
        for pair in cell.hinges:
            model.add_hinge(bodies[pair.a.body], pair.a.place, bodies[pair.b.body], pair.b.place)
        for slide in cell.slides:
            markers = [
                system.AddMarker(items.MarkerBodyRigid(bodyNumber=bodies[p.body], localPosition=[*p.place, 0]))
                for p in (slide.a, slide.b)
            ]
            system.AddObject(
                items.ObjectJointPrismatic2D(
                    markerNumbers=markers, axisMarker0=[1, 0, 0], normalMarker1=[0, -1, 0], constrainRotation=True
                )
            )
            system.AddObject(
                items.ObjectConnectorSpringDamper(
                    markerNumbers=markers, stiffness=ACTUATOR_STIFFNESS, damping=ACTUATOR_DAMPING, referenceLength=slide.length
                )
            )
    for a, b in robot.seams:
        markers = [model.marker(bodies[p.body], p.place) for p in (a, b)]
        system.AddObject(
            items.ObjectConnectorCartesianSpringDamper(
                markerNumbers=markers, stiffness=[SEAM_STIFFNESS, SEAM_STIFFNESS, 0], damping=[SEAM_DAMPING, SEAM_DAMPING, 0]
            )
        )
    for point, force in robot.loads:
        marker = model.marker(bodies[point.body], point.place)
        system.AddLoad(
            items.LoadForceVector(markerNumber=marker, loadVector=[*force, 0], loadVectorUserFunction=scaled_load)
        )
    hold(system, robot, bodies)
    system.Assemble()
    return engines.exudyn_run(
        system, rule, duration, lambda: [engines.body_output(system, bodies[-1], "Position")[1]]
    )


def scaled_load(_system: Any, t: float, force: list[float]) -> list[float]:
    scale = 1.0 if t > RISE else 0.01 + 0.99 * (1 - cos(pi * t / RISE))
    return [scale * component for component in force]


def hold(system: Any, robot: Robot, bodies: list[Any]) -> None:
    ground = system.AddNode(items.NodePointGround())
    fixed = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for body, coordinates in [(robot.held_in_y, (1,))] + [(body, (0, 1)) for body in robot.held]:
        node = system.GetObject(bodies[body])["nodeNumber"]
        for coordinate in coordinates:
            held = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
            system.AddObject(items.CoordinateConstraint(markerNumbers=[fixed, held]))
