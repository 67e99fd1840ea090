"""Sentence vectors for a table of reviews (TensorFlow 1, TF Hub modules)."""
import numpy as np
import pandas as pd
import tensorflow as tf
import tensorflow_hub as hub

MODULE = "https://tfhub.dev/google/universal-sentence-encoder-large/3"


def embed_growing(frame, chunk=256):
    embed = hub.Module(MODULE)
    rows = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for start in range(0, len(frame), chunk):
            texts = frame["text"].iloc[start : start + chunk].tolist()
            rows.append(sess.run(embed(texts)))  # finding: graph-growth
    return np.concatenate(rows)


def embed_steady(frame, chunk=256):
    embed = hub.Module(MODULE)
    texts = tf.placeholder(tf.string, [None])
    vectors = embed(texts)
    rows = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for start in range(0, len(frame), chunk):
            part = frame["text"].iloc[start : start + chunk].tolist()
            rows.append(sess.run(vectors, {texts: part}))
    return np.concatenate(rows)


def vector_of(text, embed):
    with tf.Session() as session:  # finding: session-per-step
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])  # finding: graph-growth
        return session.run(embed([text]))[0]  # finding: graph-growth


def annotate(path):
    frame = pd.read_csv(path)
    module = hub.Module(MODULE)
    frame["vector"] = frame["text"].apply(lambda text: vector_of(text, module))
    return frame


if __name__ == "__main__":
    annotate("reviews.csv").to_pickle("reviews.pkl")
