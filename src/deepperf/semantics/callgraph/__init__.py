"""One call graph: what a call may run, and what may run a function."""
