"""Looks at a program without running it: names, devices, settings, data, clusters.

`source` reads the program and its own modules, `scan` says what their names mean, and the other
files hold rules: functions from ProgramFacts to findings. `rules` lists them.
"""
