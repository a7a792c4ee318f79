"""What a program would need and take on a machine that is not here: dry runs and forecasts."""
