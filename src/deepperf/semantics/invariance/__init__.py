"""What is the same in each iteration of a loop, or in each call, and what differs."""
