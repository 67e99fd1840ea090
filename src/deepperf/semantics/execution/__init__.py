"""How code is run: eagerly, in graphs and sessions, under tapes, compiled."""
