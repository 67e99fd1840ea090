"""Input pipelines of the lab."""
