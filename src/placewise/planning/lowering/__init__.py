"""Lowering: the operations of a graph become the steps of a plan, one after the other."""
