"""The parts of the video network, as a list that the program builds from."""

CLIP = (3, 12, 48, 48)
HIDDEN = 768
STAGES = [(3, 12), (12, 24)]
