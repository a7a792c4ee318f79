"""Emission: a finished plan is written as Python and compiled; nothing is decided here."""
