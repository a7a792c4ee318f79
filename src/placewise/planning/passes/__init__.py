"""The passes that make a plan, one file each; `planning/pipeline.py` lists them in order."""
