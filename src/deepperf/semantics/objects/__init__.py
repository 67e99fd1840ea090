"""What an expression may hold: abstract values, and the classes of the project."""
