import tensorflow as tf


class Schedule:
    def __init__(self, top, warm):
        self.top, self.warm = top, warm

    def __call__(self, step):
        return self.top * min(1.0, step / self.warm)


@tf.function
def train_step(model, optimizer, x, y, rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y, model(x, training=True)))
    optimizer.learning_rate.assign(rate)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


@tf.function(experimental_relax_shapes=True)
def eval_step(model, x, y):
    return tf.reduce_mean(tf.keras.metrics.sparse_categorical_accuracy(y, model(x, training=False)))


@tf.function
def stepped(model, x, training=False):
    return model(x, training=training)


def make_step(model, optimizer):
    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    return step
