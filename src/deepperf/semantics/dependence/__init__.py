"""ONE test of how a value differs from iteration to iteration of a loop."""
