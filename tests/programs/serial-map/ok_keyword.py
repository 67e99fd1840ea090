# requires: tensorflow==2.4.0
import tensorflow as tf

AUTO = tf.data.experimental.AUTOTUNE


def decode(path):
    image = tf.image.decode_png(tf.io.read_file(path))
    image = tf.image.random_flip_up_down(image)
    return tf.image.resize(image, [64, 64])


class Pipeline:
    def __init__(self, pattern, workers=None):
        self.pattern = pattern
        self.workers = workers or AUTO

    def __call__(self, batch_size):
        files = tf.data.Dataset.list_files(self.pattern)
        images = files.map(decode, num_parallel_calls=self.workers)
        return images.batch(batch_size).prefetch(AUTO)


for batch in Pipeline("faces/*.png")(64):
    print(batch.shape)
