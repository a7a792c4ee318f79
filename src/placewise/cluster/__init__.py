"""Tasks of other processes, reached over gRPC: servers, and sessions on a cluster.

README.md beside this file has the protocol. Nothing here is imported before a server is made or a
session gets a target: gRPC is not loaded by programs of one process.
"""
