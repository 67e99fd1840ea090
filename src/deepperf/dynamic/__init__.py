"""What a run loses, to which line, and why: recording while it runs, diagnosing afterwards."""
