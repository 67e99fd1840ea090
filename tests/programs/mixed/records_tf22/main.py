import tensorflow as tf

from reading import Reader


def model():
    inputs = tf.keras.Input((64,), dtype="int64")
    x = tf.keras.layers.Embedding(20000, 64)(inputs)
    x = tf.keras.layers.LSTM(64)(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1)(x))


def main():
    files = tf.io.gfile.glob("gs://reviews/part-*")
    net = model()
    net.compile(tf.keras.optimizers.Adam(), "mse")
    with Reader(files, 128) as reader:
        steps = reader.count() // 128
        net.fit(reader.texts().repeat(), steps_per_epoch=steps, epochs=10)
    net.save("reviews")


if __name__ == "__main__":
    main()
