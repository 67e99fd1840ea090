"""What a call may run and do, what calls a function, and which loops lead to it."""
