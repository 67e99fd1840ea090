"""Class names and prompts for the shelf audit."""

PRODUCTS = [
    "a can of tomatoes", "a jar of olives", "a pack of pasta", "a bottle of olive oil",
    "an empty shelf", "a price tag",
]

TEMPLATES = ["a photo of {}.", "a blurry photo of {}.", "a close-up of {} on a shelf."]


def prompts():
    return [[template.format(name) for template in TEMPLATES] for name in PRODUCTS]
