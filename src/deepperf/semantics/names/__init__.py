"""What stands where, and which bindings reach a use of a name."""
