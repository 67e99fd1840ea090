import argparse

import tensorflow as tf

from steps import Heads, distance, make_step


def data(path, batch):
    dataset = tf.data.experimental.load(path) if path.endswith(".old") else tf.data.Dataset.load(path)
    return dataset.shuffle(1000).batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def pretrain(trunk, dataset, epochs):
    step = make_step(trunk, tf.keras.optimizers.SGD(0.01), tf.keras.losses.MeanSquaredError())
    for _ in range(epochs):
        for x, _ in dataset:
            step(x, tf.zeros([tf.shape(x)[0], 64]))


def train(heads, dataset, epochs):
    for epoch in range(epochs):
        total, steps = 0.0, 0
        for x, targets in dataset:
            for name in heads.heads:
                total += heads.step(name, x, targets[name])
            total += 1e-3 * heads.norm(x)
            steps += 1
        print(epoch, float(total) / steps)


def nearest(trunk, queries, gallery):
    best = []
    for query, _ in queries:
        best.append(tf.argmin(distance(trunk)(query, gallery), axis=1))
    return tf.concat(best, axis=0)


def adapt(trunk, dataset, rates):
    optimizer = tf.keras.optimizers.SGD()
    head = tf.keras.Sequential([trunk, tf.keras.layers.Dense(1)])
    for rate in rates:
        for x, targets in dataset:
            head.compile(tf.keras.optimizers.SGD(rate), "mse")  # finding: compiled-per-call
            head.train_on_batch(x, targets["age"])
    return optimizer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()
    dataset = data(args.data, 64)
    trunk = tf.keras.Sequential([tf.keras.layers.Dense(128, "relu"), tf.keras.layers.Dense(64)])
    pretrain(trunk, dataset, 2)
    heads = Heads(trunk, {"age": tf.keras.layers.Dense(1), "size": tf.keras.layers.Dense(2)})
    train(heads, dataset, args.epochs)
    gallery = next(iter(dataset))[0]
    print(nearest(trunk, dataset, gallery).shape)
    adapt(trunk, dataset, [0.1, 0.01])


if __name__ == "__main__":
    main()
