"""What can be computed: one declaration per op, by topic. Knows nothing of eager or graphs."""
