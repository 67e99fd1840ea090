"""Limits of what a test's code may compile, wait for, run again and keep: a plugin of pytest."""
