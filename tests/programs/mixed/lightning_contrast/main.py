import sys

import lightning as L
import torch
from torch.utils.data import DataLoader

from model import Contrast


def main():
    pairs, held, bank, labels, waves = torch.load(sys.argv[1])
    model = Contrast(bank, labels)
    trainer = L.Trainer(max_epochs=20, precision="32-true")
    trainer.fit(model, DataLoader(pairs, 128, shuffle=True), DataLoader(held, 128))
    trainer.test(model, DataLoader(held, 128))
    torch.save([clean for clean in model.denoise(waves)], "clean.pt")
    print(len(model.mine(DataLoader(held, 128), 1000)))


if __name__ == "__main__":
    main()
