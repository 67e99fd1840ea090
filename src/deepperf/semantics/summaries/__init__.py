"""What calling a function does: one summary per function, bottom-up over the call graph."""
