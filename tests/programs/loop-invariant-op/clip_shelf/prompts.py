"""Prompts for the shelf audit: product names with a handful of phrasings."""
import json

TEMPLATES = [
    "a photo of a {}.",
    "a {} on a supermarket shelf.",
    "a close-up of a {} package.",
    "a blurry photo of a {}.",
    "several {} next to each other.",
]


def load_products(path):
    with open(path) as f:
        return [row["name"] for row in json.load(f)["products"]]


def expand(name):
    return [t.format(name) for t in TEMPLATES]
