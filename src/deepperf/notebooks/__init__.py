"""Jupyter notebooks: their code as one text, and edits of it put back into the cells."""
