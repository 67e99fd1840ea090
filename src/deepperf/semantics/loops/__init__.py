"""What a loop goes over, how often it turns, and what its iterations keep, leave or add to."""
