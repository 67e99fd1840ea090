"""What the user may set, and where it is read from."""
