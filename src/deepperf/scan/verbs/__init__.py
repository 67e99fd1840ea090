"""What the command line's `scan` does: declared and done beside each other."""
