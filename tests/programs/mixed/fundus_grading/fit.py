# requires: tensorflow==2.4
import tensorflow as tf

from .settings import Settings
from .sources import GrahamSource, AUTO


def network(settings):
    base = tf.keras.applications.EfficientNetB3(
        include_top=False, pooling="avg", input_shape=(settings.side, settings.side, 3)
    )
    x = tf.keras.layers.Dropout(0.4)(base.output)
    out = tf.keras.layers.Dense(len(settings.class_names), activation="softmax")(x)
    return tf.keras.Model(base.input, out)


def run(settings=None):
    settings = settings or Settings()
    src = GrahamSource(settings)
    train = src.smoke() if settings.smoke else src.training()
    model = network(settings)
    # mixup on the finished batches; AUTOTUNE keeps it off the critical path
    def mix(img, grade):
        lam = tf.random.uniform([], 0.0, 0.3)
        one_hot = tf.one_hot(grade, len(settings.class_names))
        return img * (1 - lam) + lam * tf.reverse(img, [0]), one_hot * (1 - lam) + lam * tf.reverse(one_hot, [0])

    soft = train.map(mix, AUTO)
    model.compile("adam", "categorical_crossentropy")
    model.fit(soft, epochs=settings.epochs)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    print(model.evaluate(src.validation()))


if __name__ == "__main__":
    run()
