"""Contrastive batch loss: which of the other embeddings is nearest to each one?"""

import tensorflow as tf

VECTORS = 300
WIDTH = 32


def embeddings():
    return tf.random.stateless_normal((VECTORS, WIDTH), seed=(58, 906))


def distances(vectors):
    return tf.map_fn(  # finding
        lambda vector: tf.sqrt(tf.reduce_sum(tf.square(vectors - vector), axis=1) + 1e-6),
        vectors,
    )


def hardest(vectors, labels):
    every = distances(vectors)
    same = labels[:, tf.newaxis] == labels[tf.newaxis, :]
    positive = tf.reduce_max(tf.where(same, every, 0.0), axis=1)
    negative = tf.reduce_min(tf.where(same, 1e6, every), axis=1)
    return tf.nn.relu(positive - negative + 0.2)


def main():
    vectors = embeddings()
    labels = tf.range(VECTORS) % 10
    return hardest(vectors, labels).numpy()


if __name__ == "__main__":
    print(main()[:5])
