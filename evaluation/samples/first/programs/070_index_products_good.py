"""Build an embedding index of product photos."""
import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import keras
import numpy as np
import tensorflow as tf

SIDE = 224


def load_photo(path):
    img = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if img is None:
        return None
    img = cv2.resize(img, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(img, cv2.COLOR_BGR2RGB)


def build_encoder():
    base = keras.applications.EfficientNetV2S(
        include_top=False, pooling="avg", input_shape=(SIDE, SIDE, 3))
    base.trainable = False
    return base


class PhotoIndexer:
    def __init__(self, encoder, batch_size, workers):
        self.encoder = encoder
        self.batch_size = batch_size
        self.pool = ThreadPoolExecutor(workers)

        @tf.function(input_signature=[tf.TensorSpec([None, SIDE, SIDE, 3], tf.uint8)])
        def encode(images):
            feats = encoder(tf.cast(images, tf.float32), training=False)
            return tf.math.l2_normalize(tf.cast(feats, tf.float32), axis=-1)

        self.encode = encode

    def load_group(self, paths):
        kept, photos = [], []
        for path, img in zip(paths, self.pool.map(load_photo, paths)):
            if img is not None:
                kept.append(path.stem)
                photos.append(img)
        return kept, photos

    def index(self, paths, group=4096):
        ids, vectors = [], []
        for start in range(0, len(paths), group):
            kept, photos = self.load_group(paths[start : start + group])
            images = tf.convert_to_tensor(np.stack(photos))
            ds = tf.data.Dataset.from_tensor_slices(images).batch(self.batch_size)
            parts = [self.encode(chunk) for chunk in ds.prefetch(tf.data.AUTOTUNE)]
            vectors.append(tf.concat(parts, axis=0).numpy())
            ids.extend(kept)
        return ids, np.concatenate(vectors)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("photo_dir", type=Path)
    p.add_argument("--batch-size", type=int, default=256)
    p.add_argument("--workers", type=int, default=8)
    p.add_argument("--out", default="index.npz")
    args = p.parse_args()
    keras.mixed_precision.set_global_policy("mixed_float16")
    paths = sorted(args.photo_dir.rglob("*.jpg"))
    indexer = PhotoIndexer(build_encoder(), args.batch_size, args.workers)
    ids, vectors = indexer.index(paths)
    np.savez(args.out, ids=np.array(ids), vectors=vectors)
    print(f"{len(ids)} of {len(paths)} photos indexed")


if __name__ == "__main__":
    main()
