#!/usr/bin/env python3
"""The forms of the studio have the keys of the schema: each type of body, joint, force, ... has a field for each of its keys,
no field for others, and every value to choose from."""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEFS = json.loads((ROOT / "share/model.schema.json").read_text())["$defs"]
SECTION = {"EA", "EI", "EIy", "EIz", "GAy", "GAz", "GJ", "Ixx", "Iyy", "Izz", "mass", "stiffness"}
# Keys that are left to "Further keys", as docs/studio.md says.
WITHOUT = {"body": {"original_name"}, "joint": {"original_name"}, "beam_section": SECTION, "beam_material": {"shear"}}


def read_fields():
    """The tables of apps/studio/page/fields.ts by their names."""
    done = subprocess.run(["esbuild", str(ROOT / "apps/studio/page/fields.ts"), "--bundle", "--format=cjs"], stdout=subprocess.PIPE,
                          text=True, check=True)
    program = done.stdout + ";console.log(JSON.stringify(module.exports))"
    return json.loads(subprocess.run(["node", "-e", program], stdout=subprocess.PIPE, text=True, check=True).stdout)


def part(fields, key, place=0):
    return [field for field in fields if field["key"] == key][place]["parts"]


def keys_of(fields):
    return {field["key"] for field in fields} | {field["synonym"] for field in fields if "synonym" in field}


def pairs(tables):
    """(name of the definition in the schema, fields)"""
    analysis, output = part(tables["ANALYSIS"], "analysis"), part(tables["ANALYSIS"], "output")
    body = tables["BODY"]
    return [(name, tables[name.upper()]) for name in ("body", "joint", "force", "constraint", "contact", "event", "state")] + [
        ("analysis", analysis), ("output", output), ("shape", part(body, "shape")), ("inertia", part(body, "inertia")),
        ("point", part(body, "points")), ("beam_point", part(body, "points", 1)), ("beam_section", part(body, "section")),
        ("beam_material", part(body, "material")), ("limits", part(tables["JOINT"], "limits")),
        ("integrator", part(analysis, "integrator")), ("time_elements", part(analysis, "integrator", 1)),
        ("step", part(analysis, "step")), ("run_limits", part(analysis, "limits")), ("frequencies", part(analysis, "frequencies")),
        ("column", part(output, "columns"))]


def types_of(definition):
    """(type, its keys) where the schema has a rule for each type."""
    for rule in definition.get("allOf", []):
        type_ = rule.get("if", {}).get("properties", {}).get("type", {}).get("const")
        keys = rule.get("then", {}).get("propertyNames", {}).get("enum")
        if type_ and keys:
            yield type_, set(keys)


@unittest.skipUnless(shutil.which("esbuild") and shutil.which("node"), "esbuild or node is not there")
class FieldsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tables = read_fields()

    def test_has_a_field_for_every_key(self):
        for name, fields in pairs(self.tables):
            with self.subTest(name):
                wanted = set(DEFS[name]["properties"]) - WITHOUT.get(name, set())
                self.assertEqual(keys_of(fields) - {"more"}, wanted)

    def test_shows_the_fields_of_each_type_alone(self):
        count = 0
        for name, fields in pairs(self.tables):
            for type_, keys in types_of(DEFS[name]):
                with self.subTest(f"{name} {type_}"):
                    shown = [field for field in fields if field.get("of", "type") != "type" or type_ in field.get("types", [type_])]
                    self.assertEqual(keys_of(shown) - {"more"}, keys - WITHOUT.get(name, set()))
                    count += 1
        self.assertGreater(count, 40)

    def test_has_the_ways_to_give_a_value(self):
        ways = {(table, field["key"]): {way.get("by"): way.get("parts", []) for way in field["ways"]}
                for table in ("BODY", "FORCE", "CONSTRAINT") for field in self.tables[table] if "ways" in field}
        self.assertEqual(set(ways), {("BODY", "centerline"), ("FORCE", "value"), ("CONSTRAINT", "position")})
        self.assertEqual(keys_of(ways["FORCE", "value"]["table"]), set(DEFS["table"]["properties"]))
        self.assertEqual(keys_of(ways["CONSTRAINT", "position"]["table"]), set(DEFS["curve_table"]["properties"]))
        line = [keys_of(parts) for parts in ways["BODY", "centerline"].values()]
        self.assertEqual(set().union(*line), set(DEFS["centerline"]["properties"]))

    def test_offers_every_value(self):
        count = 0
        for name, fields in pairs(self.tables):
            for key, value in DEFS[name]["properties"].items():
                options = [field["options"] for field in fields if field["key"] == key and "options" in field]
                if not options or "enum" not in value:
                    continue
                with self.subTest(f"{name}.{key}"):
                    self.assertEqual(set().union(*options) - {""}, set(value["enum"]))
                    count += 1
        self.assertGreater(count, 10)
        rules = [field["options"] for field in part(part(self.tables["ANALYSIS"], "analysis"), "integrator") if field["key"] == "name"]
        self.assertEqual(set(rules[0]) - {""}, set(DEFS["integrator_name"]["enum"]))


if __name__ == "__main__":
    if not (shutil.which("esbuild") and shutil.which("node")):
        sys.exit(77)
    unittest.main()
