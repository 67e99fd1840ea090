"""Train the cell nucleus classifier on Modal."""
import pathlib

import modal

VOLUME = modal.Volume.from_name("nuclei", create_if_missing=True)
MOUNT = pathlib.PurePosixPath("/vol")

image = (
    modal.Image.debian_slim(python_version="3.11")
    .apt_install("libgl1")
    .pip_install("tensorflow[and-cuda]==2.16.1", "numpy<2", "pandas==2.2.2")
)
app = modal.App("nuclei-train", image=image)


def network(size, classes):
    import keras
    from keras import layers

    base = keras.applications.EfficientNetV2B1(include_top=False, pooling="avg", input_shape=(size, size, 3))
    inp = keras.Input((size, size, 3))
    x = layers.RandomFlip("horizontal_and_vertical")(inp)
    x = layers.RandomRotation(0.5)(x)
    x = layers.Dropout(0.3)(base(x))
    return keras.Model(inp, layers.Dense(classes, dtype="float32")(x))


def loaders(root, size, batch_size):
    import keras
    import tensorflow as tf

    out = []
    for name in ("train", "valid"):
        ds = keras.utils.image_dataset_from_directory(
            f"{root}/{name}", image_size=(size, size), batch_size=batch_size, shuffle=name == "train"
        )
        out.append((ds.prefetch(tf.data.AUTOTUNE), ds.class_names))
    (train, classes), (valid, _) = out
    return train, valid, classes


@app.function(gpu="A10G", volumes={str(MOUNT): VOLUME}, timeout=6 * 3600, cpu=8.0)
def train(epochs: int, size: int, batch_size: int):
    import shutil

    import keras
    import tensorflow as tf

    print("devices:", tf.config.list_physical_devices())
    keras.mixed_precision.set_global_policy("mixed_float16")
    shutil.unpack_archive(str(MOUNT / "nuclei.tar"), "/tmp/nuclei")
    data, valid, classes = loaders("/tmp/nuclei", size, batch_size)
    model = network(size, len(classes))
    model.compile(
        optimizer=keras.optimizers.AdamW(3e-4),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    stop = keras.callbacks.EarlyStopping(patience=5, restore_best_weights=True)
    hist = model.fit(data, validation_data=valid, epochs=epochs, callbacks=[stop], verbose=2)
    model.save(str(MOUNT / "nuclei.keras"))
    VOLUME.commit()
    return max(hist.history["val_accuracy"])


@app.local_entrypoint()
def main(epochs: int = 40, size: int = 240, batch_size: int = 96):
    best = train.remote(epochs, size, batch_size)
    print(f"best validation accuracy {best:.4f}")
