"""What runs compiled: the functions that compilers are passed, and all that these reach."""
