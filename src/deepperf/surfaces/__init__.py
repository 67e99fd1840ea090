"""Where people work: editors, notebooks, tests and assistants ask deepperf through these."""
