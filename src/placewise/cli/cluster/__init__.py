"""`placewise run --cluster`: the tasks of a cluster, started here or on other machines."""
