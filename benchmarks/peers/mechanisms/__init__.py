"""Mechanisms that exudyn_mechanisms.py gives to Sestina and to Exudyn, one module for each."""
