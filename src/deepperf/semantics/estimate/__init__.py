"""What a finding costs: one table of costs, one of thresholds, one place that sets levels."""
