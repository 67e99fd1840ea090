"""python -m style_transfer.main content.jpg styles/*.jpg"""
import argparse

import imageio
import numpy as np
import tensorflow as tf

from style_transfer.features import style_grams
from style_transfer.network import Vgg, style_loss

MEAN = np.array([123.68, 116.779, 103.939])


def load(path):
    return imageio.imread(path).astype(np.float32) - MEAN


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("content")
    parser.add_argument("styles", nargs="+")
    parser.add_argument("--vgg", default="imagenet-vgg-verydeep-19.mat")
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()
    vgg = Vgg(args.vgg)
    content = load(args.content)[np.newaxis]
    with tf.Session() as sess:
        grams = style_grams(sess, vgg, [load(p) for p in args.styles])
        target = sess.run(vgg(tf.constant(content, tf.float32))["relu3_1"])
        image = tf.Variable(content, dtype=tf.float32)
        features = vgg(image)
        loss = 5e-3 * tf.nn.l2_loss(features["relu3_1"] - target) + style_loss(features, grams)
        step = tf.train.AdamOptimizer(2.0).minimize(loss, var_list=[image])
        sess.run(tf.global_variables_initializer())
        for i in range(args.steps):
            _, value = sess.run([step, loss])
            if i % 100 == 0:
                print(i, value)
        imageio.imwrite("out.jpg", np.clip(sess.run(image)[0] + MEAN, 0, 255).astype(np.uint8))


if __name__ == "__main__":
    main()
