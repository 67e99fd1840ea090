# requires: tensorflow==1.12.0
import numpy as np
import tensorflow as tf


def distance_transform(points, reference):
    return tf.norm(points - reference, axis=1)  # finding: graph-growth


def nearest(points, references):
    sess = tf.Session()
    chosen = []
    for reference in references:
        distance = distance_transform(points, reference)
        chosen.append(int(np.argmin(sess.run(distance))))
    sess.close()
    return chosen


if __name__ == "__main__":
    cloud = np.random.rand(5000, 3).astype(np.float32)
    queries = np.random.rand(1000, 3).astype(np.float32)
    print(nearest(cloud, queries)[:10])
