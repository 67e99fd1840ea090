"""Nightly job: for each recipe the twenty most similar, and for each user what to cook next."""
import json
import logging
import sqlite3
from collections import defaultdict

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

log = logging.getLogger("similar")


class RecipeIndex:
    def __init__(self, ids, texts, width=200):
        self.ids = np.asarray(ids)
        self.position = {r: i for i, r in enumerate(ids)}
        counts = TfidfVectorizer(min_df=3, stop_words="english").fit_transform(texts)
        self.vectors = TruncatedSVD(width, random_state=0).fit_transform(counts)
        self.popularity = np.zeros(len(ids))

    def count_cooked(self, recipe):
        self.popularity[self.position[recipe]] += 1

    def _unit(self):
        return self.vectors / np.linalg.norm(self.vectors, axis=1, keepdims=True)

    def nearest(self, vector, k=20, skip=()):
        scores = self._unit() @ (vector / np.linalg.norm(vector))
        for recipe in skip:
            scores[self.position[recipe]] = -np.inf
        best = np.argpartition(-scores, k)[:k]
        return self.ids[best[np.argsort(-scores[best])]]

    def similar(self, recipe, k=20):
        return self.nearest(self.vectors[self.position[recipe]], k, skip=[recipe])

    def for_user(self, cooked, k=20):
        taste = self.vectors[[self.position[r] for r in cooked]].mean(0)
        return self.nearest(taste, k, skip=cooked)


def load(db):
    rows = db.execute("select id, title || ' ' || ingredients from recipe").fetchall()
    return [r for r, _ in rows], [t for _, t in rows]


def history(db):
    cooked = defaultdict(list)
    for user, recipe in db.execute("select user, recipe from cooked order by day desc"):
        if len(cooked[user]) < 50:
            cooked[user].append(recipe)
    return cooked


def main(path="recipes.db"):
    db = sqlite3.connect(path)
    index = RecipeIndex(*load(db))
    cooked = history(db)
    for recipes in cooked.values():
        for recipe in recipes:
            index.count_cooked(recipe)
    for recipe in index.ids:
        best = index.similar(recipe)
        db.execute("replace into similar values (?, ?)", (int(recipe), json.dumps(best.tolist())))
    for user, recipes in cooked.items():
        best = index.for_user(recipes)
        db.execute("replace into next_up values (?, ?)", (user, json.dumps(best.tolist())))
    db.commit()
    log.info("%d recipes, %d users", len(index.ids), len(cooked))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main()
