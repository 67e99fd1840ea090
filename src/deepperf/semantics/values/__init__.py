"""What an expression may hold, and where that came from."""
