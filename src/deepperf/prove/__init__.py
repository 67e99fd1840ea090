"""Tries fixes and other changes on the user's own command, and keeps what helps."""
