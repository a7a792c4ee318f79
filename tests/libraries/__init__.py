"""Libraries that run on placewise as their tensorflow: `make library-tests`."""
