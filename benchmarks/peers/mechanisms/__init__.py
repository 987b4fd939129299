"""Mechanisms that exudyn_mechanisms.py gives to Sestina and to Exudyn, one module for each."""

import sys

sys.exudynFast = True  # type: ignore[attr-defined]  # Exudyn's module without checks of ranges, for all imports that follow
