"""Fits a line eagerly, epoch by epoch, as TensorFlow's guide to basic training loops does."""

import tensorflow as tf


class Line(tf.Module):
    def __init__(self):
        super().__init__()
        self.slope = tf.Variable(5.0)
        self.offset = tf.Variable(0.0)

    def __call__(self, x):
        return self.slope * x + self.offset


def loss_of(wanted, given):
    return tf.reduce_mean(tf.square(wanted - given))


def train(model, x, y, rate):
    with tf.GradientTape() as tape:
        current = loss_of(y, model(x))
    slope, offset = tape.gradient(current, [model.slope, model.offset])
    model.slope.assign_sub(rate * slope)
    model.offset.assign_sub(rate * offset)


def main():
    tf.random.set_seed(0)
    x = tf.cast(tf.linspace(-2, 2, 201), tf.float32)
    y = 3.0 * x + 2.0 + tf.random.normal(shape=[201])
    model = Line()
    slopes, offsets = [], []
    for epoch in range(4000):
        train(model, x, y, rate=0.01)
        slopes.append(model.slope.numpy())
        offsets.append(model.offset.numpy())
        if epoch % 500 == 0:
            print(f"epoch {epoch}: loss {loss_of(y, model(x)):.4f}")
    print(slopes[-1], offsets[-1])


if __name__ == "__main__":
    main()
