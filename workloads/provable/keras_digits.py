"""A classifier of made-up digits with Keras, after its tutorials."""

import keras
import numpy as np

keras.utils.set_random_seed(0)


def main():
    random = np.random.default_rng(0)
    x = random.normal(size=(8192, 64)).astype("float32")
    y = (x[:, :8].sum(1) > 0).astype("int32")
    model = keras.Sequential(
        [keras.Input((64,)), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(2)]
    )
    model.compile(
        optimizer="adam",
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(x, y, batch_size=32, epochs=3)
    scores = model.predict(x)
    print("loss", " ".join(f"{one:.4f}" for one in history.history["loss"]))
    print("right", f"{(scores.argmax(1) == y).mean():.4f}")


if __name__ == "__main__":
    main()
