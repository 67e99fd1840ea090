import argparse

import tensorflow as tf

import inputs
from unet import build


def prepare(sets, batch):
    train = sets["train"].shuffle(1000)
    train = train.map(inputs.loader)  # finding: serial-map
    train = train.map(inputs.flip, 8)
    train = train.batch(batch).prefetch(2)
    val = sets["val"].map(inputs.loader, num_parallel_calls=8).batch(batch).prefetch(2)
    return train, val


def prepare_test(root, batch):
    parts = inputs.splits(root)
    test = parts["test"]
    return (
        test
        .map(lambda image, mask: inputs.read_pair(image, mask, inputs.SIDE))  # finding: serial-map
        .batch(batch)
        .prefetch(1)
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=40)
    args = parser.parse_args()
    train, val = prepare(inputs.splits(args.root), args.batch)
    model = build(inputs.SIDE, classes=3)
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(train, validation_data=val, epochs=args.epochs)
    print(model.evaluate(prepare_test(args.root, args.batch)))


if __name__ == "__main__":
    main()
