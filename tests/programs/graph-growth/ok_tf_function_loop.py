# requires: tensorflow==2.12.0
import tensorflow as tf


class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer
        self.mean = tf.keras.metrics.Mean()

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            losses = tf.keras.losses.sparse_categorical_crossentropy(y, self.model(x))
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        return loss

    def fit(self, dataset, epochs):
        for epoch in range(epochs):
            self.mean.reset_state()
            for x, y in dataset:
                self.mean.update_state(self.step(x, tf.cast(y, tf.int32)))
            tf.print("epoch", epoch, self.mean.result())
