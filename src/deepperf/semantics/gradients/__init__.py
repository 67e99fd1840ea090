"""Whether gradients are recorded, and which values keep what was computed for them."""
