"""Rules that let one call of torch do what several steps of a plan do, one file per pattern."""
