"""Changes that are never findings: whether they help, only the user's own program can tell."""
