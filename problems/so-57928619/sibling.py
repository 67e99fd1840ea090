"""Finds, for each question of a forum, the most similar answered one."""

import numpy as np
from sibling_similarity import Similarity

QUESTIONS = 25


def nearest(similarity, questions, answered):
    return [similarity.vector(question) @ answered.T for question in questions]


def main():
    rng = np.random.default_rng(3)
    questions = rng.integers(0, 100, size=(QUESTIONS, 10))
    similarity = Similarity(words=100, width=16)
    answered = similarity.vectors(rng.integers(0, 100, size=(40, 10)))
    scores = np.stack(nearest(similarity, questions, answered))
    similarity.close()
    return scores.argmax(axis=1)


if __name__ == "__main__":
    print(main())
