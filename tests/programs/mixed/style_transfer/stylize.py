"""Optimises an image so that it looks like a painting (TensorFlow 1)."""
import argparse
import time

import numpy as np
import scipy.io
import tensorflow as tf

LAYERS = ("conv1_1", "relu1_1", "conv1_2", "relu1_2", "pool1")
STYLE_LAYERS = ("relu1_1", "relu1_2")


def net(weights, image):
    layers, current = {}, image
    for i, name in enumerate(LAYERS):
        kind = name[:4]
        if kind == "conv":
            kernels, bias = weights[i]
            current = tf.nn.conv2d(current, tf.constant(kernels), [1, 1, 1, 1], "SAME") + bias
        elif kind == "relu":
            current = tf.nn.relu(current)
        else:
            current = tf.nn.max_pool(current, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        layers[name] = current
    return layers


def gram(features):
    features = np.reshape(features, (-1, features.shape[3]))
    return features.T @ features / features.size


def style_targets(weights, styles):
    targets = []
    for style in styles:
        with tf.Graph().as_default(), tf.Session() as sess:
            image = tf.placeholder("float", (1,) + style.shape)
            layers = net(weights, image)
            row = {n: gram(sess.run(layers[n], {image: style[None]})) for n in STYLE_LAYERS}
            targets.append(row)
    return targets


def stylize(weights, content, styles, iterations, tv_weight):
    targets = style_targets(weights, styles)
    image = tf.Variable(tf.random_normal((1,) + content.shape) * 0.256)
    layers = net(weights, image)
    loss = 2 * tf.nn.l2_loss(image - content)
    for target in targets:
        for name in STYLE_LAYERS:
            layer = layers[name]
            _, h, w, c = (d.value for d in layer.get_shape())
            flat = tf.reshape(layer, (-1, c))
            loss += tf.nn.l2_loss(tf.matmul(tf.transpose(flat), flat) / (h * w * c) - target[name])
    loss += tv_weight * tf.nn.l2_loss(image[:, 1:] - image[:, :-1])
    step = tf.train.AdamOptimizer(10.0).minimize(loss)
    best, best_loss = None, float("inf")
    with tf.Session() as sess:
        sess.run(tf.initialize_all_variables())
        started = time.time()
        for i in range(iterations):
            step.run()
            if i % 10 == 0:
                value = loss.eval()
                clipped = tf.clip_by_value(image, 0.0, 255.0).eval()  # finding: graph-growth
                if value < best_loss:
                    best, best_loss = clipped, value
                yield i, time.time() - started, best
    yield iterations, time.time() - started, best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--network", required=True)
    parser.add_argument("--content", required=True)
    parser.add_argument("--styles", nargs="+", required=True)
    parser.add_argument("--iterations", type=int, default=1000)
    options = parser.parse_args()
    weights = scipy.io.loadmat(options.network)["layers"][0]
    content = np.load(options.content)
    styles = [np.load(path) for path in options.styles]
    for i, seconds, image in stylize(weights, content, styles, options.iterations, 1e2):
        print(i, seconds)
        np.save("out_%d.npy" % i, image)


if __name__ == "__main__":
    main()
