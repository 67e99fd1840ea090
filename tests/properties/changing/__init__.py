"""Programs whose loops change things, and what they turn out to have changed when they are run."""
