"""Trying the rules on a corpus of public packages, and keeping book of how right they are."""
