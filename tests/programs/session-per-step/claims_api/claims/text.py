import json
import re
from functools import lru_cache

WORD = re.compile(r"[a-z0-9']+")


@lru_cache(maxsize=1)
def vocabulary():
    with open("exports/vocab.json") as f:
        return json.load(f)


def encode(text):
    vocab = vocabulary()
    return [vocab.get(w, 1) for w in WORD.findall(text.lower())]
