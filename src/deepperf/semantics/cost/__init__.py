"""Whether work is felt: beside what else an iteration does, and for how large its operands are."""
