"""What the text of the program that ran says of a line: loops, turns, additions, broadcasts."""
