"""Reads the facts that the rules of `placewise check` judge, a file for each source.

`sources` says where to look: the machine itself, or a folder that stands for its root and stand-ins
for what is no file. `machine` puts everything together. Nothing here judges, writes, or loads
torch.
"""
