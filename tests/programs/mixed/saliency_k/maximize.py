import numpy as np
from keras import backend as K
from keras.applications import vgg16
from keras.models import Model

LAYERS = ["block1_conv2", "block2_conv2", "block3_conv3"]


def normalize(x):
    return x / (K.sqrt(K.mean(K.square(x))) + 1e-5)  # finding: graph-growth


def ascend(model, layer, index, steps=20):
    output = model.get_layer(layer).output
    loss = K.mean(output[:, :, :, index])  # finding: graph-growth
    grads = normalize(K.gradients(loss, model.input)[0])  # finding: graph-growth
    iterate = K.function([model.input], [loss, grads])  # finding: graph-growth
    picture = np.random.random((1, 128, 128, 3)) * 20 + 128.0
    for _ in range(steps):
        value, direction = iterate([picture])
        picture += direction
    return picture[0], value


def all_filters(model):
    stripes = {}
    for layer in LAYERS:
        count = model.get_layer(layer).output_shape[-1]
        for index in range(count):
            stripes[layer, index] = ascend(model, layer, index)
    return stripes


def activations(model, pictures):
    rows = []
    for picture in pictures:
        probe = K.function([model.input], [model.layers[-2].output])  # finding: graph-growth
        rows.append(probe([picture[None]])[0])
    return np.concatenate(rows)


def activations_fast(model, pictures):
    probe = Model(model.input, model.layers[-2].output)
    return probe.predict(np.stack(pictures), batch_size=64)


def style_distance(content, pictures):
    distances = []
    goal = K.constant(content)
    for picture in pictures:
        distances.append(K.eval(K.sum(K.square(K.constant(picture) - goal))))  # finding: graph-growth
    return distances


def style_distance_numpy(content, pictures):
    return [float(np.sum((picture - content) ** 2)) for picture in pictures]


def rates(model, values):
    for value in values:
        K.set_value(model.optimizer.lr, value)
        yield K.get_value(model.optimizer.lr)


def fold_scores(build, folds):
    scores = []
    for train, test in folds:
        K.clear_session()
        model = build()
        model.fit(*train, epochs=5, verbose=0)
        scores.append(model.evaluate(*test, verbose=0))
    return scores


if __name__ == "__main__":
    net = vgg16.VGG16(weights="imagenet", include_top=False)
    np.save("filters.npy", [v for v, _ in all_filters(net).values()])
