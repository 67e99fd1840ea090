"""Work that a loop, or a function that is called again, does again for the same operands."""
