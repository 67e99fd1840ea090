"""How often code runs: loops, their kinds and counts, and conditions that seldom hold."""
