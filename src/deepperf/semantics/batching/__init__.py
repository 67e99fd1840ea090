"""May the iterations of a loop be done at once: what they keep, and what else they do."""
