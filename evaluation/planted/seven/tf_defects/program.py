"""Train the surface-defect classifier with a custom loop."""
import os
import tempfile
import time

import keras
import tensorflow as tf

from loop import Loop
from networks import build
from pipeline import CLASSES, make_dataset, make_pngs

EPOCHS, BATCH = 4, 16


def main():
    keras.utils.set_random_seed(0)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    blobs, labels = make_pngs(240, 0)
    vblobs, vlabels = make_pngs(96, 1)
    train = make_dataset(blobs, labels, BATCH, True)
    val = make_dataset(vblobs, vlabels, 4, False)
    with tempfile.TemporaryDirectory() as root:
        loop = Loop(build(CLASSES), os.path.join(root, "tb"))
        step = 0
        for epoch in range(EPOCHS):
            t0 = time.time()
            step = loop.train_epoch(train, step)
            t1 = time.time()
            acc = loop.evaluate(val)
            t2 = time.time()
            loop.gallery(val)
            print(f"epoch {epoch}: step {step} acc {acc:.3f} train {t1 - t0:.1f}s "
                  f"eval {t2 - t1:.1f}s gallery {time.time() - t2:.1f}s", flush=True)
        print("batches kept", len(loop.seen))


if __name__ == "__main__":
    main()
