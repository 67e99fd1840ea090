# requires: tensorflow==1.15.0
"""One session per worker process."""
import glob
from multiprocessing import Pool

import numpy as np
import tensorflow as tf

STATE = {}


def start_worker(model):
    graph = tf.Graph()
    with graph.as_default():
        saver = tf.train.import_meta_graph(model + ".meta")
        STATE["session"] = tf.Session(graph=graph)
        saver.restore(STATE["session"], model)


def embed(path):
    return STATE["session"].run("embedding:0", {"wave:0": np.load(path)})


def main():
    paths = glob.glob("waves/*.npy")
    with Pool(4, initializer=start_worker, initargs=("speaker.ckpt",)) as pool:
        np.save("embeddings.npy", np.stack(pool.map(embed, paths)))


if __name__ == "__main__":
    main()
