"""Scripts that print the tables in the README. Run them on a machine that does nothing else."""
