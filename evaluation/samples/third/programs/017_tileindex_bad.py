"""Build and query a similarity index over aerial map tiles.

    tileindex build tiles.npy net.pt index.npz
    tileindex query index.npz 1234
"""
import click
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def conv_block(c_in, c_out):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(c_out),
        nn.ReLU(inplace=True),
    )


class TileNet(nn.Module):
    def __init__(self, dim=128):
        super().__init__()
        self.features = nn.Sequential(
            conv_block(3, 32), conv_block(32, 64), conv_block(64, 128), conv_block(128, 256)
        )
        self.head = nn.Linear(256, dim)

    def forward(self, x):
        return F.normalize(self.head(self.features(x).mean(dim=(2, 3))), dim=-1)


class Embedder:
    """Wraps a trained TileNet for use on uint8 HWC tiles."""

    def __init__(self, weights, device=None):
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.net = TileNet()
        self.net.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
        self.net.to(self.device).eval()

    def _prepare(self, tile):
        pixels = torch.from_numpy(np.array(tile)).to(self.device)
        return pixels.permute(2, 0, 1).float().div_(127.5).sub_(1.0)

    @torch.inference_mode()
    def embed(self, tile):
        x = self._prepare(tile).unsqueeze(0)
        return self.net(x).squeeze(0).cpu().numpy()

    def embed_all(self, tiles):
        return np.stack([self.embed(tile) for tile in tiles])


@click.group()
def cli():
    pass


@cli.command()
@click.argument("tiles", type=click.Path(exists=True))
@click.argument("weights", type=click.Path(exists=True))
@click.argument("out", type=click.Path())
def build(tiles, weights, out):
    """TILES: uint8 array [n, 256, 256, 3]."""
    array = np.load(tiles, mmap_mode="r")
    vectors = Embedder(weights).embed_all(array)
    np.savez(out, vectors=vectors)
    click.echo(f"indexed {len(vectors)} tiles")


@cli.command()
@click.argument("index", type=click.Path(exists=True))
@click.argument("tile_id", type=int)
@click.option("-k", default=10, show_default=True)
def query(index, tile_id, k):
    vectors = np.load(index)["vectors"]
    scores = vectors @ vectors[tile_id]
    scores[tile_id] = -np.inf
    for i in np.argsort(-scores)[:k]:
        click.echo(f"{i}\t{scores[i]:.3f}")


if __name__ == "__main__":
    cli()
