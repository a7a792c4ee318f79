"""Scripts: long runs of small steps as one call of torch's interpreter of graphs.

A line of a plan costs a Python call and torch's reading of its arguments, which for small tensors
is more than the kernel itself. TorchScript's interpreter runs the same kernels without either. A
run of steps keeps its lines as the fallback, so that errors are those of the plain plan.
"""
