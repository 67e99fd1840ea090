import keras
import numpy as np
from keras import backend as K
from keras.models import load_model


def saliency_slow(model, images, layer):
    maps = []
    for image in images:
        output = model.output[:, np.argmax(model.predict(image[None]))]  # finding: predict-per-item
        grads = K.gradients(output, model.get_layer(layer).output)[0]  # finding: graph-growth
        maps.append(K.get_session().run(grads, {model.input: image[None]}))
    return maps


def saliency(model, images, layer):
    grads = K.gradients(K.max(model.output, axis=-1), model.get_layer(layer).output)[0]
    compute = K.function([model.input, K.learning_phase()], [grads])
    return [compute([image[None], 0])[0] for image in images]


def mean_activation(model, batches, layer):
    values = []
    for batch in batches:
        values.append(K.eval(K.mean(K.variable(model.predict_on_batch(batch)))))  # finding: graph-growth
    return np.mean(values)


class WeightDecay(keras.callbacks.Callback):
    def __init__(self, rate):
        super(WeightDecay, self).__init__()
        self.rate = rate

    def on_batch_end(self, batch, logs=None):
        for layer in self.model.layers:
            for w in layer.trainable_weights:
                K.get_session().run(w.assign(w * (1 - self.rate)))  # finding: graph-growth

    def on_epoch_begin(self, epoch, logs=None):
        K.set_value(self.model.optimizer.lr, 1e-3 * 0.9 ** epoch)


if __name__ == "__main__":
    net = load_model("net.h5")
    data = np.load("images.npy")
    print(saliency(net, data[:100], "conv5").__len__())
