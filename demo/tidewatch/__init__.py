"""One-step forecasts of river levels."""
