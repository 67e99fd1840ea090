"""The language server: what `check` says, while the code is being written."""
