"""What a loop goes over, how often it turns, and what its turns keep, leave or add to."""
