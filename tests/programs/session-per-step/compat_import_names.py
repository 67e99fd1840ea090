# requires: tensorflow==2.4.0
"""Embeds a stream of sentences, one at a time."""
import sys

from tensorflow.compat.v1 import Graph, Session, placeholder, string
from tensorflow.compat.v1.strings import to_hash_bucket_fast


def build():
    graph = Graph()
    with graph.as_default():
        words = placeholder(string, [None])
        return graph, words, to_hash_bucket_fast(words, 1000)


def embed(sentence, graph, words, buckets):
    with Session(graph=graph) as session:  # finding: session-per-step
        return session.run(buckets, {words: sentence.split()})


def main():
    graph, words, buckets = build()
    for line in sys.stdin:
        print(embed(line, graph, words, buckets))


if __name__ == "__main__":
    main()
