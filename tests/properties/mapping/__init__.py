"""Programs that map a dataset and batch it, and what they give with the map on either side."""
