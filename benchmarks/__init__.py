"""Programs that measure deepperf itself: its speed, and that no file makes it stumble."""
