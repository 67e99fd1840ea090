"""The study of performance problems as data: its tables, and the means to extend it."""
