"""Runs a job in a process of its own, without `placewise run`: as_dependency.py JOB."""

import runpy
import sys

import placewise

placewise.install_as_tensorflow()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
