"""Approaches to performance problems, asked about each problem and judged by written rules."""
