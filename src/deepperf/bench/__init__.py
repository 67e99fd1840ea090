"""Measures both sides of a pair in fresh processes, side by side."""
