"""Map-style data in PyTorch and trees in JAX."""
import jax
import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index] ** 2

    def map(self, function):
        return Squares([function(value) for value in self.values])


def scaled(params, factor):
    return jax.tree_util.tree_map(lambda leaf: leaf * factor, params)


def main():
    data = Squares(torch.arange(1000.0)).map(lambda value: value / 10)
    for batch in DataLoader(data, batch_size=32, num_workers=2):
        print(batch.sum().item())
    print(scaled({"w": 1.0}, 0.5))


main()
