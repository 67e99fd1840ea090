"""What is done element by element, or slice by slice, that one operation could do."""
