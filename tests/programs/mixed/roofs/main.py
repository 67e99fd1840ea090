import click
import numpy as np

import nets
import tiles


@click.group()
def cli():
    pass


@cli.command()
@click.argument("root")
def towns(root):
    images, _ = tiles.load_split(root, "train")
    towns_of = np.load(f"{root}/towns.npy")
    model = nets.classifier(len(tiles.load_labels(root)))
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(images, towns_of, epochs=10, batch_size=8)


@cli.command()
@click.argument("root")
@click.option("--net", type=click.Choice(["roofnet", "unet"]), default="unet")
def roofs(root, net):
    model = nets.RoofNet() if net == "roofnet" else nets.unet()
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(tiles.stream(root, "train"), epochs=30)
    model.evaluate(tiles.stream(root, "valid").prefetch(1))


if __name__ == "__main__":
    cli()
