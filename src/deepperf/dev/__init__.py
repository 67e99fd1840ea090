"""For those who work on deepperf itself."""
