"""Whether work is felt: beside what else a turn does, and for how large its operands are."""
