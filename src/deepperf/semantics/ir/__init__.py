"""One compact table per file: what floors above this one know of a program's text."""
