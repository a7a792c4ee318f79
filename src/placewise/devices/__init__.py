"""What there is to run on: names, discovery, visibility, logical devices, simulation."""
