"""Where the packages of a scan come from: a file for each kind."""
