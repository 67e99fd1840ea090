"""Score query-document pairs with an exported cross encoder."""
import argparse
import json
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf


def read_pairs(path):
    ids, keys = [], []
    with open(path, encoding="utf-8") as fh:
        for line in fh:
            row = json.loads(line)
            ids.append(np.asarray(row["input_ids"][:512], np.int32))
            keys.append((row["query_id"], row["doc_id"]))
    return ids, keys


def batches(ids, batch_size):
    lengths = [len(tokens) for tokens in ids]
    table = tf.RaggedTensor.from_row_lengths(np.concatenate(ids), lengths)
    ds = tf.data.Dataset.from_tensor_slices(table)
    ds = ds.padded_batch(batch_size, padded_shapes=[None])
    return ds.prefetch(tf.data.AUTOTUNE)


class CrossScorer:
    def __init__(self, path):
        self.net = keras.models.load_model(path, compile=False)

    @tf.function(jit_compile=True, reduce_retracing=True)
    def score(self, tokens):
        mask = tf.cast(tokens > 0, tf.int32)
        logits = self.net([tokens, mask], training=False)
        return tf.nn.sigmoid(tf.cast(logits[:, 0], tf.float32))

    def run(self, ds):
        parts = [self.score(tokens) for tokens in ds]
        return tf.concat(parts, axis=0).numpy()


def write_run(path, keys, scores, tag):
    by_query = {}
    for (query, doc), score in zip(keys, scores.tolist()):
        by_query.setdefault(query, []).append((score, doc))
    with open(path, "w", encoding="utf-8") as fh:
        for query, docs in by_query.items():
            docs.sort(reverse=True)
            for rank, (score, doc) in enumerate(docs[:1000], 1):
                fh.write(f"{query} Q0 {doc} {rank} {score:.6f} {tag}\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("pairs")
    p.add_argument("--model", default="cross_encoder.keras")
    p.add_argument("--batch-size", type=int, default=256)
    p.add_argument("--out", type=Path, default=Path("run.trec"))
    args = p.parse_args()

    keras.mixed_precision.set_global_policy("mixed_float16")
    ids, keys = read_pairs(args.pairs)
    scorer = CrossScorer(args.model)
    scores = scorer.run(batches(ids, args.batch_size))
    write_run(args.out, keys, scores[: len(keys)], args.model)
    print(f"{len(keys)} pairs scored")


if __name__ == "__main__":
    main()
