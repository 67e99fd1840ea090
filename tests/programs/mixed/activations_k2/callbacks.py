import numpy as np
from keras import backend as K
from keras.callbacks import Callback


class GradientNorms(Callback):
    """Writes how long the gradients of each layer are, after each epoch."""

    def __init__(self, batch, log):
        super(GradientNorms, self).__init__()
        self.batch = batch
        self.log = log

    def on_epoch_end(self, epoch, logs=None):
        x, y = self.batch
        weights = self.model.trainable_weights
        grads = self.model.optimizer.get_gradients(self.model.total_loss, weights)  # finding: graph-growth
        inputs = self.model._feed_inputs + self.model._feed_targets + self.model._feed_sample_weights
        norms = K.function(inputs, [K.sqrt(K.sum(K.square(g))) for g in grads])  # finding: graph-growth
        values = norms([x, y, np.ones(len(x))])
        self.log.write(" ".join("%.4f" % v for v in values) + "\n")


class LearningRateLog(Callback):
    def on_epoch_end(self, epoch, logs=None):
        print("lr", K.eval(self.model.optimizer.lr))


class DecayedRate(Callback):
    """Also counts the decay, which Keras keeps apart."""

    def on_batch_end(self, batch, logs=None):
        optimizer = self.model.optimizer
        rate = optimizer.lr * (1.0 / (1.0 + optimizer.decay * K.cast(optimizer.iterations, "float32")))  # finding: graph-growth
        logs["rate"] = K.eval(rate)


class Halve(Callback):
    def __init__(self, every):
        super(Halve, self).__init__()
        self.every = every

    def on_epoch_begin(self, epoch, logs=None):
        if epoch and epoch % self.every == 0:
            K.set_value(self.model.optimizer.lr, K.get_value(self.model.optimizer.lr) / 2)
