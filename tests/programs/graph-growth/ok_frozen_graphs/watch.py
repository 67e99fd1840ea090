"""Looks for people in the pictures of a street camera."""

import argparse
import pathlib

import tensorflow as tf

from detector.convert import freeze_all
from detector.frozen import as_function, operations


def frames(folder, size):
    for path in sorted(pathlib.Path(folder).glob("*.jpg")):
        image = tf.io.decode_jpeg(tf.io.read_file(str(path)), channels=3)
        image = tf.image.convert_image_dtype(image, tf.float32)
        yield path.name, tf.image.resize_with_pad(image, size, size)


def detect(function, image, threshold):
    boxes, scores = function(image[None])
    kept = tf.image.non_max_suppression(boxes[0], scores[0], 50, 0.5, threshold)
    return tf.gather(boxes[0], kept).numpy(), tf.gather(scores[0], kept).numpy()


def watch(folder, function, size, threshold, out):
    for name, image in frames(folder, size):
        boxes, scores = detect(function, image, threshold)
        print(name, len(boxes), "people", scores.round(2))
        if len(boxes):
            drawn = tf.image.draw_bounding_boxes(image[None], boxes[None], [[1.0, 0.0, 0.0]])[0]
            jpeg = tf.io.encode_jpeg(tf.image.convert_image_dtype(drawn, tf.uint8))
            tf.io.write_file(str(out / name), jpeg)


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    convert = commands.add_parser("convert")
    convert.add_argument("checkpoints", nargs="+")
    look = commands.add_parser("watch")
    look.add_argument("folder")
    look.add_argument("--graph", default="people.pb")
    look.add_argument("--size", type=int, default=640)
    look.add_argument("--threshold", type=float, default=0.4)
    args = parser.parse_args()
    if args.command == "convert":
        freeze_all(args.checkpoints)
        for checkpoint in args.checkpoints:
            print(checkpoint, operations(checkpoint + ".pb"))
        return
    function = as_function(args.graph, "images:0", ["boxes:0", "probabilities:0"])
    out = pathlib.Path("seen")
    out.mkdir(exist_ok=True)
    watch(args.folder, function, args.size, args.threshold, out)


if __name__ == "__main__":
    main()
