"""How often is the right answer among the first three?"""
import csv
import sys

from transformers import AutoModel, AutoTokenizer

from embed import Embedder
from search import Faq

NAME = "sentence-transformers/all-MiniLM-L6-v2"


def main(faq_path, test_path):
    embedder = Embedder(AutoTokenizer.from_pretrained(NAME), AutoModel.from_pretrained(NAME))
    faq = Faq(faq_path, embedder)
    hits = total = 0
    with open(test_path, newline="") as handle:
        for row in csv.DictReader(handle):
            answers = [answer for answer, _ in faq.best(row["query"])]
            hits += row["answer"] in answers
            total += 1
    print(f"{hits}/{total}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
