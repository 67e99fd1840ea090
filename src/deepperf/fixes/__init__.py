"""Edits that mend a finding: pure functions from text and positions to `Edit`s."""
