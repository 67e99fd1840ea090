"""What is the same in each turn of a loop, or in each call, and what differs."""
