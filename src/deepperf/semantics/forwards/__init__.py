"""Runs of models: which a call makes, on what, and which are the same as another."""
