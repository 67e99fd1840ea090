"""Where a tensor lives, and where the host waits for the device."""
