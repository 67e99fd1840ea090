import argparse

import tensorflow as tf

import data
import retrieval
import towers


def main():
    ap = argparse.ArgumentParser()
    for name in ("train", "test", "vocab", "out"):
        ap.add_argument("--" + name, required=True)
    ap.add_argument("--epochs", type=int, default=20)
    a = ap.parse_args()
    vocab = data.Vocab(a.vocab)
    model = towers.TwoTower(vocab.user.vocabulary_size(), vocab.item.vocabulary_size())
    model.compile(tf.keras.optimizers.Adagrad(0.1))
    holdout = data.interactions(a.test, vocab, 256).cache()
    model.fit(data.interactions(a.train, vocab, 4096), epochs=a.epochs,
              callbacks=[retrieval.RecallCallback(holdout)])
    retrieval.export_neighbours(model, vocab.item_names, a.out)


if __name__ == "__main__":
    main()
