"""Shapes of the audio task."""

MELS = 128
FRAMES = 160
EMBEDDING = 1024
