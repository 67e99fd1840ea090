# requires: tensorflow-gpu==1.12.0
# and keras==2.2.4
"""Whale identification: distances of all pairs with the siamese head (Kaggle kernel export)."""
import gc

import numpy as np
import pandas as pd
from keras import backend as K
from keras.applications.densenet import DenseNet121, preprocess_input
from keras.layers import Dense, Input, Lambda
from keras.models import Model
from keras.preprocessing import image as kimage

SIZE = 224


def branch():
    base = DenseNet121(include_top=False, pooling="max", input_shape=(SIZE, SIZE, 3), weights=None)
    x = Dense(256)(base.output)
    x = Lambda(lambda t: K.l2_normalize(t, axis=-1))(x)
    return Model(base.input, x)


def siamese(b):
    left, right = Input((SIZE, SIZE, 3)), Input((SIZE, SIZE, 3))
    d = Lambda(lambda t: K.sum(K.square(t[0] - t[1]), axis=-1, keepdims=True))([b(left), b(right)])
    return Model([left, right], Dense(1, activation="sigmoid")(d))


def read(name):
    img = kimage.load_img("../input/whale/train/" + name, target_size=(SIZE, SIZE))
    return preprocess_input(kimage.img_to_array(img))


def chunks(names, size):
    for i in range(0, len(names), size):
        yield np.stack([read(n) for n in names[i:i + size]])


def embed(model, names, size=64):
    return np.concatenate([model.predict(c) for c in chunks(names, size)])


def distances(a, b):
    aa = K.sum(K.square(a), axis=1, keepdims=True)  # finding: graph-growth
    bb = K.sum(K.square(b), axis=1)  # finding: graph-growth
    return K.maximum(aa + bb - 2 * K.dot(a, K.transpose(b)), 0)  # finding: graph-growth


def map5(ranked, truth):
    for i, r in enumerate(ranked[:5]):
        if r == truth:
            return 1.0 / (i + 1)
    return 0.0


def main():
    b = branch()
    model = siamese(b)
    model.load_weights("../input/whale-weights/siamese.h5")
    frame = pd.read_csv("../input/whale/train.csv")
    frame = frame[frame.Id != "new_whale"].sample(frac=1, random_state=0)
    known, query = frame[2000:], frame[:2000]
    gallery = embed(b, list(known.Image))
    vectors = embed(b, list(query.Image))
    ids = known.Id.values
    scores = []
    base = K.constant(gallery)
    for i in range(0, len(vectors), 50):
        part = vectors[i:i + 50]
        d = K.eval(distances(K.constant(part), base))  # finding: graph-growth
        order = np.argsort(d, axis=1)
        for row, truth in zip(order, query.Id.values[i:i + 50]):
            ranked = list(dict.fromkeys(ids[row[:50]]))
            scores.append(map5(ranked, truth))
        gc.collect()
    print("map@5", np.mean(scores))


if __name__ == "__main__":
    main()
