"""The command line: `main`, and one file per verb."""
