"""What code writes to: names, attributes, and objects whatever leads to them."""
