"""Score card payments with the frozen fraud graph of 2018 (TF1 GraphDef, compat.v1).

    python score_payments.py fraud_frozen.pb payments.csv scores.csv

The graph takes `amounts:0` (n, 32) and `merchant:0` (n,) and gives `fraud_probability:0` (n,).
"""
import argparse
import csv
import itertools

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

N_AMOUNTS = 32


class FrozenModel:
    def __init__(self, path, threads=0):
        definition = tf.GraphDef()
        with tf.gfile.GFile(path, "rb") as fh:
            definition.ParseFromString(fh.read())
        self.graph = tf.Graph()
        with self.graph.as_default():
            tf.import_graph_def(definition, name="")
        config = tf.ConfigProto(inter_op_parallelism_threads=threads)
        config.gpu_options.allow_growth = True
        self.session = tf.Session(graph=self.graph, config=config)

    def _evaluate(self, fetches, feed):
        return self.session.run(fetches, feed_dict=feed)

    def close(self):
        self.session.close()


class FraudScorer(FrozenModel):
    """Probability of fraud for batches of payments."""

    def __init__(self, path, **options):
        super().__init__(path, **options)
        tensor = self.graph.get_tensor_by_name
        self.amounts = tensor("amounts:0")
        self.merchant = tensor("merchant:0")
        self.probability = tensor("fraud_probability:0")

    def score(self, amounts, merchants):
        feed = {self.amounts: amounts, self.merchant: merchants}
        return self._evaluate(self.probability, feed)


def in_batches(rows, size):
    while batch := list(itertools.islice(rows, size)):
        yield batch


def to_arrays(batch):
    amounts = np.array([row[2:2 + N_AMOUNTS] for row in batch], dtype=np.float32)
    merchants = np.array([row[1] for row in batch], dtype=np.int64)
    return np.log1p(np.maximum(amounts, 0.0)), merchants


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    parser.add_argument("payments", help="CSV: payment id, merchant number, 32 past amounts")
    parser.add_argument("scores")
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--alarm", type=float, default=0.9)
    parser.add_argument("--threads", type=int, default=0)
    args = parser.parse_args()

    scorer = FraudScorer(args.graph, threads=args.threads)
    alarms = 0
    with open(args.payments, newline="") as source, open(args.scores, "w", newline="") as target:
        rows, writer = csv.reader(source), csv.writer(target)
        next(rows)
        writer.writerow(["payment", "fraud"])
        for batch in in_batches(rows, args.batch):
            probabilities = scorer.score(*to_arrays(batch))
            alarms += int((probabilities >= args.alarm).sum())
            writer.writerows((row[0], f"{p:.5f}") for row, p in zip(batch, probabilities))
    scorer.close()
    print(f"{alarms} payments above {args.alarm}")


if __name__ == "__main__":
    main()
