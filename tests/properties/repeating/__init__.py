"""Programs whose loops add something in each turn, or do not, and counts of it when they run."""
