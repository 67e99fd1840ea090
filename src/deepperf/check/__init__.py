"""From texts and files to reports."""
