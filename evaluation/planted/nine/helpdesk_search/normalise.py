"""Lower-casing and the desk's own synonyms, before a text is encoded."""
import json
import re


class Normaliser:
    def __init__(self, path):
        self.path = path

    def rules(self):
        table = json.loads(self.path.read_text())
        pattern = "|".join(sorted((rf"\b{re.escape(word)}\b" for word in table), key=len, reverse=True))
        return table, re.compile(pattern)

    def __call__(self, text):
        table, pattern = self.rules()
        return pattern.sub(lambda m: table[m.group(0)], text.lower())
