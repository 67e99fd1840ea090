"""Run the trained detector over a folder and write COCO style results."""
import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import keras
import tensorflow as tf


@dataclass
class Thresholds:
    score: float = 0.25
    iou: float = 0.5
    keep: int = 100


class Detector:
    def __init__(self, path, size, th=Thresholds()):
        self.net = keras.saving.load_model(path, compile=False)
        self.size, self.th = size, th
        self.run = tf.function(lambda x: self.net(x, training=False), reduce_retracing=True)

    def _select(self, boxes, probs):
        kept, scores, labels = [], [], []
        best = tf.reduce_max(probs, axis=-1)
        kind = tf.argmax(probs, axis=-1)
        for i in range(best.shape[0]):
            if best[i] >= self.th.score:
                kept.append(boxes[i])
                scores.append(float(best[i]))
                labels.append(int(kind[i]))
        if not kept:
            return tf.zeros((0, 4)), tf.zeros((0,)), tf.zeros((0,), tf.int64)
        return tf.stack(kept), tf.constant(scores), tf.constant(labels, tf.int64)

    def detect(self, images):
        boxes, probs = self.run(images)
        out = []
        for b, p in zip(tf.unstack(boxes), tf.unstack(probs)):
            b, s, k = self._select(b, p)
            idx = tf.image.non_max_suppression(b, s, self.th.keep, self.th.iou)
            out.append(tuple(tf.gather(t, idx).numpy().tolist() for t in (b, s, k)))
        return out


def images(root, size, batch):
    ds = tf.data.Dataset.list_files(f"{root}/*.jpg", shuffle=False)

    def read(path):
        img = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        return path, tf.image.resize_with_pad(img, size, size)

    return ds.map(read, num_parallel_calls=tf.data.AUTOTUNE).batch(batch).prefetch(tf.data.AUTOTUNE)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("model")
    ap.add_argument("root", type=Path)
    ap.add_argument("--size", type=int, default=640)
    ap.add_argument("--batch", type=int, default=16)
    args = ap.parse_args()
    det = Detector(args.model, args.size)
    results = []
    for paths, batch in images(args.root, args.size, args.batch):
        for path, (boxes, scores, kinds) in zip(paths.numpy(), det.detect(batch)):
            name = Path(path.decode()).stem
            for box, s, k in zip(boxes, scores, kinds):
                results.append({"image_id": name, "bbox": box, "score": s, "category_id": k})
    (args.root / "detections.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()
