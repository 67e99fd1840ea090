# requires: tensorflow==1.15.0
import tensorflow as tf


def read(files, batch_size):
    ds = tf.data.TFRecordDataset(files).batch(batch_size)
    iterator = tf.data.make_initializable_iterator(ds)
    return iterator.initializer, iterator.get_next()


def count(files):
    initialize, records = read(files, 512)
    total = tf.size(records)
    seen = 0
    with tf.Session() as sess:
        for epoch in range(10):
            sess.run(initialize)
            while True:
                try:
                    seen += sess.run(total)
                except tf.errors.OutOfRangeError:
                    break
    return seen


if __name__ == "__main__":
    import glob

    print(count(glob.glob("*.tfrecord")))
