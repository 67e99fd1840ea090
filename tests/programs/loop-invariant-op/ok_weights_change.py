# requires: tensorflow==2.15.0
"""Linear regression by hand: what looks constant is trained."""
import tensorflow as tf

weights = tf.Variable(tf.zeros([20, 1]))
bias = tf.Variable(0.0)


def penalty():
    return tf.nn.l2_loss(weights)


def fit(features, targets, steps, rate=0.1):
    for step in range(steps):
        with tf.GradientTape() as tape:
            predicted = tf.matmul(features, weights) + bias
            loss = tf.reduce_mean(tf.square(predicted - targets)) + 1e-3 * penalty()
        dw, db = tape.gradient(loss, [weights, bias])
        weights.assign_sub(rate * dw)
        bias.assign_sub(rate * db)
        if step % 100 == 0:
            print(step, float(tf.norm(weights)))


fit(tf.random.normal([500, 20]), tf.random.normal([500, 1]), 1000)
