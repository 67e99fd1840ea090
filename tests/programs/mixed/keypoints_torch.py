"""Poses of horses: heat maps of joints, trained with Lightning."""

import json
import pathlib

import lightning as pl
import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision.models import resnet18

JOINTS = 22
MAP = 64


def heat_map(joints, sigma=2.0):
    """A bump for each joint, written pixel by pixel."""
    maps = np.zeros((JOINTS, MAP, MAP), np.float32)
    for joint, (cx, cy) in enumerate(joints):
        for y in range(MAP):
            for x in range(MAP):
                maps[joint, y, x] = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * sigma**2))  # finding: looped-update
    return maps


class Horses(Dataset):
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.labels = json.loads((self.root / "joints.json").read_text())
        self.names = sorted(self.labels)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        name = self.names[index]
        image = Image.open(self.root / name).convert("RGB").resize((256, 256))
        x = torch.from_numpy(np.asarray(image, np.float32) / 255.0).permute(2, 0, 1)
        return x, torch.from_numpy(heat_map(self.labels[name]))


class Poses(pl.LightningModule):
    def __init__(self):
        super().__init__()
        trunk = resnet18(weights="DEFAULT")
        self.trunk = torch.nn.Sequential(*list(trunk.children())[:-2])
        self.head = torch.nn.Sequential(
            torch.nn.ConvTranspose2d(512, 128, 4, 2, 1),
            torch.nn.ReLU(),
            torch.nn.ConvTranspose2d(128, 64, 4, 2, 1),
            torch.nn.ReLU(),
            torch.nn.ConvTranspose2d(64, JOINTS, 4, 2, 1),
        )

    def forward(self, x):
        return self.head(self.trunk(x))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.mse_loss(self(x), y)
        self.log("loss", loss)
        return loss

    def peaks(self, maps):
        places = torch.zeros(maps.shape[0], JOINTS, 2)
        for n in range(maps.shape[0]):
            for joint in range(JOINTS):
                flat = torch.argmax(maps[n, joint])  # finding: per-slice-op
                places[n, joint, 0] = flat % MAP
                places[n, joint, 1] = flat // MAP
        return places

    def validation_step(self, batch, _):
        x, y = batch
        guess, true = self.peaks(self(x)), self.peaks(y)
        errors = [torch.linalg.norm(guess[n] - true[n], dim=-1).mean() for n in range(len(x))]  # finding: per-slice-op
        self.log("error", torch.stack(errors).mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


def skeleton(joints, bones):
    """Lines to draw for one horse."""
    return [(joints[a].tolist(), joints[b].tolist()) for a, b in bones]


def gathered(maps, order):
    """Joints in another order, e.g. after a mirror."""
    return torch.stack([maps[:, o] for o in order], dim=1)  # finding: looped-lookup


def main():
    pl.seed_everything(0)
    train = DataLoader(Horses("horses/train"), 32, shuffle=True, num_workers=8)
    valid = DataLoader(Horses("horses/valid"), 32, num_workers=8)
    model = Poses()
    pl.Trainer(max_epochs=40, accelerator="auto").fit(model, train, valid)
    model.eval()
    with torch.no_grad():
        for x, _ in valid:
            maps = model(x)
            mirrored = gathered(model(x.flip(-1)).flip(-1), list(range(JOINTS))[::-1])
            print(model.peaks((maps + mirrored) / 2)[0])
            break


if __name__ == "__main__":
    main()
