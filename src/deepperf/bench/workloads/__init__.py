"""Whole programs: written and tuned, each problem's patch, and what deepperf says of them."""
