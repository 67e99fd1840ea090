"""How often a loop turns, what differs between its turns, and what it does again."""
