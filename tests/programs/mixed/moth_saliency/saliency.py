import numpy as np
from keras import backend as K


def normalise(heat):
    heat = np.maximum(heat, 0)
    return heat / (heat.max() + K.epsilon())


def grad_cam(model, image, class_index, layer_name="conv5_3"):
    """Heat map of one image after Selvaraju et al."""
    score = model.output[:, class_index]
    feature_maps = model.get_layer(layer_name).output
    grads = K.gradients(score, feature_maps)[0]  # finding: graph-growth
    pooled = K.mean(grads, axis=(0, 1, 2))  # finding: graph-growth
    iterate = K.function([model.input], [pooled, feature_maps[0]])  # finding: graph-growth
    weights, maps = iterate([image[np.newaxis]])
    return normalise(maps.dot(weights))


class SmoothGrad(object):
    def __init__(self, model, samples=25, noise=0.1):
        self.samples = samples
        self.noise = noise
        index = K.placeholder(shape=(), dtype="int32")
        score = K.max(model.output, axis=1)
        self.function = K.function([model.input, index], K.gradients(score, model.input))

    def __call__(self, image):
        spread = self.noise * (image.max() - image.min())
        total = np.zeros_like(image)
        for _ in range(self.samples):
            noisy = image + np.random.normal(0, spread, image.shape)
            total += self.function([noisy[np.newaxis], 0])[0][0]
        return normalise(np.abs(total / self.samples).max(axis=-1))


def activation_maximum(model, layer, unit, steps=40):
    """The picture that excites one unit most."""
    loss = K.mean(layer.output[..., unit])
    grads = K.l2_normalize(K.gradients(loss, model.input)[0])
    step = K.function([model.input], [loss, grads])
    picture = np.random.random((1,) + model.input_shape[1:]) * 20 + 128.0
    for _ in range(steps):
        _, direction = step([picture])
        picture += direction
    return picture[0]
