import numpy as np
from keras import backend as K
from keras.callbacks import Callback
from keras.layers import Dense, Dropout, Input
from keras.models import Model


def build(features, classes):
    inputs = Input((features,))
    x = inputs
    for width in [256, 256, 128]:
        x = Dropout(0.3)(Dense(width, activation="relu")(x))
    model = Model(inputs, Dense(classes, activation="softmax")(x))
    model.compile("adam", "categorical_crossentropy")
    return model


def entropy(probabilities):
    return -K.sum(probabilities * K.log(probabilities + K.epsilon()), axis=-1)  # finding: graph-growth


class DropRate(Callback):
    def on_epoch_begin(self, epoch, logs=None):
        K.set_value(self.model.optimizer.lr, 0.001 * 0.9**epoch)


class Committee(object):
    """Dropout left on, asked many times."""

    def __init__(self, model, samples=30):
        self.model = model
        self.samples = samples
        self.ask = K.function([model.input, K.learning_phase()], [model.output])

    def vote(self, batch):
        votes = [self.ask([batch, 1])[0] for _ in range(self.samples)]
        return np.mean(votes, axis=0)

    def doubt(self, batches):
        values = []
        for batch in batches:
            values.append(K.eval(entropy(K.variable(self.vote(batch)))))  # finding: graph-growth
        return np.concatenate(values)


def weight_norms(model):
    return [K.get_value(K.sqrt(K.sum(K.square(w)))) for w in model.trainable_weights]


def train(model, batches, epochs):
    history = []
    for epoch in range(epochs):
        for x, y in batches():
            loss = model.train_on_batch(x, y)
            penalty = K.get_session().run(K.mean(K.abs(model.layers[1].kernel)))  # finding: graph-growth
            history.append((loss, penalty))
        rate = K.get_value(model.optimizer.lr)
        print(epoch, rate, np.mean(history[-100:], axis=0))
    return history
