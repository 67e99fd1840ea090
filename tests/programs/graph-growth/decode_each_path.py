# requires: tensorflow==1.13.1
import glob
import os

import numpy as np
import tensorflow as tf


def main(source, target):
    sess = tf.Session()
    for path in glob.glob(os.path.join(source, "*.jpg")):
        raw = tf.read_file(path)  # finding: graph-growth
        image = tf.image.decode_jpeg(raw, channels=3)  # finding: graph-growth
        small = tf.image.resize_images(image, (128, 128))  # finding: graph-growth
        array = sess.run(small).astype(np.uint8)
        name = os.path.splitext(os.path.basename(path))[0]
        np.save(os.path.join(target, name + ".npy"), array)
    sess.close()


if __name__ == "__main__":
    import sys

    main(sys.argv[1], sys.argv[2])
