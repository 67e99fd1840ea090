# requires: tensorflow==1.15
import argparse
import glob
import os

import tensorflow as tf

IMG_SIZE = 224


def load_image(path, label):
    raw = tf.read_file(path)
    image = tf.image.decode_jpeg(raw, channels=3)
    image = tf.image.resize_images(image, [IMG_SIZE, IMG_SIZE])
    image.set_shape([IMG_SIZE, IMG_SIZE, 3])
    return image / 255.0, label


def input_fn(data_dir, batch_size, training):
    paths, labels = [], []
    for index, name in enumerate(sorted(os.listdir(data_dir))):
        found = glob.glob(os.path.join(data_dir, name, "*.jpg"))
        paths.extend(found)
        labels.extend([index] * len(found))
    dataset = tf.data.Dataset.from_tensor_slices((paths, labels))
    if training:
        dataset = dataset.shuffle(len(paths)).repeat()
    dataset = dataset.map(load_image)  # finding: serial-map
    dataset = dataset.batch(batch_size)
    return dataset.prefetch(1)


def model_fn(features, labels, mode):
    net = tf.layers.conv2d(features, 16, 3, activation=tf.nn.relu)
    net = tf.layers.flatten(net)
    logits = tf.layers.dense(net, 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--batch-size", type=int, default=32)
    args = parser.parse_args()
    estimator = tf.estimator.Estimator(model_fn, model_dir="runs/catsdogs")
    estimator.train(lambda: input_fn(args.data_dir, args.batch_size, True), steps=10000)


if __name__ == "__main__":
    main()
