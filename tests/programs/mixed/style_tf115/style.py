import argparse
import contextlib

import numpy as np
import scipy.misc
import tensorflow as tf

LAYERS = ("relu1_1", "relu2_1", "relu3_1")


def gram(x):
    x = tf.reshape(x, [-1, x.shape[-1].value])
    return tf.matmul(x, x, transpose_a=True) / tf.cast(tf.size(x), tf.float32)


def vgg(weights, image):
    net, out = image, {}
    for name, (w, b) in weights.items():
        net = tf.nn.relu(tf.nn.conv2d(net, w, [1, 1, 1, 1], "SAME") + b)
        out[name] = net
    return out


@contextlib.contextmanager
def fresh():
    with tf.Graph().as_default() as g, tf.Session(graph=g) as sess:
        yield sess


def style_targets(weights, style):
    with fresh() as sess:
        x = tf.placeholder(tf.float32, style.shape)
        feats = vgg(weights, x)
        return {l: sess.run(gram(feats[l]), {x: style}) for l in LAYERS}


def total_variation(image):
    return tf.reduce_sum(tf.abs(image[:, 1:] - image[:, :-1])) + tf.reduce_sum(tf.abs(image[:, :, 1:] - image[:, :, :-1]))


def stylize(weights, content, style, iterations):
    targets = style_targets(weights, style)
    with fresh() as sess:
        image = tf.Variable(content)
        feats = vgg(weights, image)
        loss = sum(tf.nn.l2_loss(gram(feats[l]) - targets[l]) for l in LAYERS)
        step = tf.train.AdamOptimizer(1.0).minimize(loss)
        sess.run(tf.global_variables_initializer())
        for i in range(iterations):
            sess.run(step)
            if i % 10 == 0:
                tv = sess.run(total_variation(image))  # finding: graph-growth
                print(i, tv)
            sess.run(tf.assign(image, tf.clip_by_value(image, 0.0, 255.0)))  # finding: graph-growth
            if i % 100 == 0:
                yield image.eval(session=sess)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("content")
    p.add_argument("style")
    p.add_argument("--iterations", type=int, default=2000)
    a = p.parse_args()
    weights = np.load("vgg.npy", allow_pickle=True).item()
    content, style = (scipy.misc.imread(f)[None].astype(np.float32) for f in (a.content, a.style))
    for n, frame in enumerate(stylize(weights, content, style, a.iterations)):
        scipy.misc.imsave("%03d.png" % n, frame[0])


if __name__ == "__main__":
    main()
