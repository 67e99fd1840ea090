import sys

import keras

from sources import TabularSource, WindowSource

NUMERIC = ["temperature", "humidity", "tod_sin", "tod_cos", "doy_sin", "doy_cos", "degree_days"]


def tabular_model(stations=900):
    ins = {n: keras.Input((1,), name=n, dtype="float32") for n in NUMERIC}
    ins["station"] = keras.Input((1,), name="station", dtype="int32")
    emb = keras.layers.Flatten()(keras.layers.Embedding(stations, 12)(ins["station"]))
    h = keras.layers.Concatenate()([*(ins[n] for n in NUMERIC), emb])
    for w in (256, 256):
        h = keras.layers.Dense(w, activation="gelu")(h)
    return keras.Model(ins, keras.layers.Dense(1)(h))


def window_model():
    return keras.Sequential([keras.Input((672, 6)), keras.layers.Conv1D(64, 9, strides=4), keras.layers.GRU(128), keras.layers.Dense(96)])


def main(kind, path):
    model, source = (tabular_model(), TabularSource(path)) if kind == "tabular" else (window_model(), WindowSource(path))
    model.compile(keras.optimizers.Adam(3e-4), loss="huber")
    model.fit(source.dataset(training=True), epochs=12)
    model.save(f"{kind}.keras")


if __name__ == "__main__":
    main(*sys.argv[1:3])
