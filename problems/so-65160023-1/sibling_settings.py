"""Sizes of the heart-beat network, kept apart from its code."""

CHANNELS = (24, 48, 96)
SPAN = 17
LEADS = 2
BEAT_MAP = 40
