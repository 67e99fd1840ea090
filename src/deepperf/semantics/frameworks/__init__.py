"""Which framework versions count, and what is wrong with them."""
