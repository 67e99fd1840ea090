"""Ways to run the tasks of a scan."""
