#!/usr/bin/env python3
"""Holds share/model.schema.json against model files: every example must pass, and so must, or must not, the
snippets below. Needs jsonschema and PyYAML (tools/python-requirements.txt)."""

import json
import pathlib
import sys

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]

ACCEPTED = {
    "smallest": "sestina: 1\nbodies: [{name: a, mass: 1}]",
    "expression as number": "sestina: 1\nparameters: {m: 1}\nbodies: [{name: a, mass: 2*m}]",
    "point with axes": "sestina: 1\nbodies: [{name: a, mass: 1, points: {tip: {axes: {axis: [0, 0, 1], angle: 1}}}}]",
    "one shape": "sestina: 1\nbodies: [{name: a, mass: 1, shape: {type: sphere, radius: 1}}]",
    "list of shapes": "sestina: 1\nbodies: [{name: a, mass: 1, shape: [{type: box, size: [1, 1, 1]}]}]",
    "particle": "sestina: 1\nbodies: [{name: a, type: particle, mass: 1}]",
    "integrator as map": "sestina: 1\nbodies: [{name: a, mass: 1}]\nanalysis: {integrator: {name: rk4}}",
    "elements in time": "sestina: 1\nbodies: [{name: a, mass: 1}]\nanalysis: {coordinates: state_time,"
                        " integrator: {elements: 32, pair: LQ, tests: upwind, scheme: linear_quadratic, windows: 4,"
                        " tolerance: 1e-6}}",
    "step": "sestina: 1\nbodies: [{name: a, mass: 1}]\nanalysis: {step: {driver: fixed, dt: 0.001}}",
    "table": "sestina: 1\nbodies: [{name: a, mass: 1}]\nforces: [{name: f, type: point_force, at: a.origin,"
             " value: {table: gust.csv, columns: [x, y, z], interpolation: cubic}}]",
}

REJECTED = {
    "no version": "bodies: [{name: a, mass: 1}]",
    "other version": "sestina: 2\nbodies: [{name: a, mass: 1}]",
    "no bodies": "sestina: 1",
    "empty list of bodies": "sestina: 1\nbodies: []",
    "unknown key": "sestina: 1\nbodies: [{name: a, mass: 1, colour: red}]",
    "mass missing": "sestina: 1\nbodies: [{name: a}]",
    "boolean mass": "sestina: 1\nbodies: [{name: a, mass: true}]",
    "empty mass": "sestina: 1\nbodies: [{name: a, mass: ''}]",
    "bad name": "sestina: 1\nbodies: [{name: 2nd arm, mass: 1}]",
    "inertia of a particle": "sestina: 1\nbodies: [{name: a, type: particle, mass: 1, inertia: {xx: 1}}]",
    "two numbers for a vector": "sestina: 1\ngravity: [0, 1]\nbodies: [{name: a, mass: 1}]",
    "rotation in two ways": "sestina: 1\nground: {points: {p: {axes: {rpy: [0, 0, 0], euler_parameters: [1, 0, 0, 0]}}}}"
                            "\nbodies: [{name: a, mass: 1}]",
    "axis without angle": "sestina: 1\nground: {points: {p: {axes: {axis: [0, 0, 1]}}}}\nbodies: [{name: a, mass: 1}]",
    "axis of a spherical joint": "sestina: 1\nbodies: [{name: a, mass: 1}]\njoints: [{name: j, type: spherical,"
                                 " parent: ground.origin, child: a.origin, axis: [0, 0, 1]}]",
    "revolute without axis": "sestina: 1\nbodies: [{name: a, mass: 1}]\njoints: [{name: j, type: revolute,"
                             " parent: ground.origin, child: a.origin}]",
    "parent without point": "sestina: 1\nbodies: [{name: a, mass: 1}]\njoints: [{name: j, type: free,"
                            " parent: ground, child: a.origin}]",
    "damping of a spring": "sestina: 1\nbodies: [{name: a, mass: 1}]\nforces: [{name: f, type: joint_spring, joint: j,"
                           " damping: 1}]",
    "unknown solver": "sestina: 1\nbodies: [{name: a, mass: 1}]\nanalysis: {solver: magic}",
    "elements with a name": "sestina: 1\nbodies: [{name: a, mass: 1}]\nanalysis: {integrator: {name: rk4, elements: 2}}",
    "integrator map without name": "sestina: 1\nbodies: [{name: a, mass: 1}]\nanalysis: {integrator: {}}",
}


def main():
    schema = json.loads((ROOT / "share/model.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = []

    def faults_of(text):
        return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(yaml.safe_load(text))]

    accepted = dict(ACCEPTED)
    files = [*ROOT.glob("examples/**/*.yaml"), *ROOT.glob("tests/io/model_file/*.yaml")]
    accepted.update({str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files})
    for name, text in sorted(accepted.items()):
        failures += [f"{name}: {fault}" for fault in faults_of(text)]
    for name, text in REJECTED.items():
        if not faults_of(text):
            failures.append(f"{name}: the schema accepts it")
    for failure in failures:
        print(failure)
    print(f"{len(accepted)} accepted, {len(REJECTED)} rejected, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
