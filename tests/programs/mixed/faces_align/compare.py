"""Performs face alignment and calculates the distance between all people of a folder."""

import argparse
import os
import sys
from multiprocessing import Process, Queue

import facenet
import numpy as np
import tensorflow as tf


def people(folder):
    for person in sorted(os.listdir(folder)):
        yield person, [os.path.join(folder, person, f) for f in os.listdir(os.path.join(folder, person))]


def by_name(args):
    means = {}
    for person, files in people(args.folder):
        vectors = facenet.embed(files, args.model)
        means[person] = vectors.mean(axis=0)
    return means


def by_name_shared(args):
    embedder = facenet.Embedder.shared(args.model)
    return {person: embedder(facenet.load_images(files, 160)).mean(axis=0) for person, files in people(args.folder)}


def worker(number, queue, results, model):
    """One process for each card."""
    os.environ["CUDA_VISIBLE_DEVICES"] = str(number)
    with tf.Graph().as_default(), tf.Session() as sess:
        facenet.load_model(model, sess)
        graph = tf.get_default_graph()
        images, out = graph.get_tensor_by_name("input:0"), graph.get_tensor_by_name("embeddings:0")
        train = graph.get_tensor_by_name("phase_train:0")
        for person, files in iter(queue.get, None):
            batch = facenet.load_images(files, 160)
            results.put((person, sess.run(out, {images: batch, train: False})))


def on_cards(args):
    queue, results = Queue(), Queue()
    started = [Process(target=worker, args=(i, queue, results, args.model)) for i in range(args.cards)]
    for process in started:
        process.start()
    count = 0
    for item in people(args.folder):
        queue.put(item)
        count += 1
    for _ in started:
        queue.put(None)
    return {name: vectors.mean(axis=0) for name, vectors in (results.get() for _ in range(count))}


def distances(means):
    names = sorted(means)
    stacked = np.stack([means[n] for n in names])
    return names, np.sqrt(((stacked[:, None] - stacked[None]) ** 2).sum(-1))


def main(args):
    if args.cards > 1:
        means = on_cards(args)
    elif args.shared:
        means = by_name_shared(args)
    else:
        means = by_name(args)
    names, table = distances(means)
    for name, row in zip(names, table):
        print(name, " ".join("%1.4f" % value for value in row))


def parse_arguments(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=str)
    parser.add_argument("folder", type=str)
    parser.add_argument("--cards", type=int, default=1)
    parser.add_argument("--shared", action="store_true")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments(sys.argv[1:]))
