"""The files of a project, and the memory of the questions about each."""
