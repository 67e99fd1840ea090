"""How large arrays are, where the text tells."""
