"""The programs are read, never imported; some of them have tests of their own."""

collect_ignore_glob = ["*/*"]
