import pytorch_lightning as pl
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Double(nn.Sequential):
    def __init__(self, inputs, outputs):
        layers = []
        for channels in (inputs, outputs):
            layers += [nn.Conv2d(channels, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()]
        super().__init__(*layers)


class UNet(pl.LightningModule):
    def __init__(self, width=32, depth=4, rate=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.downs = nn.ModuleList()
        self.ups = nn.ModuleList()
        channels = 3
        for level in range(depth):
            self.downs.append(Double(channels, width * 2**level))
            channels = width * 2**level
        for level in reversed(range(depth - 1)):
            self.ups.append(Double(channels + width * 2**level, width * 2**level))
            channels = width * 2**level
        self.out = nn.Conv2d(channels, 1, 1)
        grid = torch.stack(torch.meshgrid(torch.linspace(-1, 1, 256), torch.linspace(-1, 1, 256)))
        self.register_buffer("grid", grid)

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = skips.pop()
        for up in self.ups:
            x = F.interpolate(x, scale_factor=2.0)
            x = up(torch.cat([x, skips.pop()], 1))
        return self.out(x)

    def training_step(self, batch, index):
        images, masks = batch
        loss = F.binary_cross_entropy_with_logits(self(images), masks)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, index):
        images, masks = batch
        guess = self(images).sigmoid() > 0.5
        self.log("iou", iou(guess, masks > 0.5))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), self.hparams.rate)


def iou(a, b):
    return (a & b).sum().float() / (a | b).sum().clamp(min=1)


class Tiles(Dataset):
    def __init__(self, images, masks):
        self.images, self.masks = images, masks

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = torch.from_numpy(self.images[index]).float().permute(2, 0, 1) / 255
        return image, torch.from_numpy(self.masks[index]).float()[None]


def blur(images, sigma):
    spots = torch.arange(-7, 8).float()
    line = torch.exp(-(spots**2) / (2 * sigma**2))
    kernel = torch.outer(line, line)
    return F.conv2d(images.mean(1, keepdim=True), (kernel / kernel.sum())[None, None], padding=7)


def fit_by_hand(model, loader, epochs, sigma):
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(epochs):
        for images, masks in loader:
            line = torch.exp(-(torch.arange(-7, 8).float() ** 2) / (2 * sigma**2))
            kernel = torch.outer(line, line)
            soft = F.conv2d(masks, kernel[None, None] / 39.0, padding=7)
            loss = F.mse_loss(model(images).sigmoid(), soft)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def tile_scores(model, picture: torch.Tensor, size=256):
    model.eval()
    scores = {}
    with torch.no_grad():
        for top in range(0, picture.shape[1] - size, size):
            for left in range(0, picture.shape[2] - size, size):
                tile = picture[:, top : top + size, left : left + size]
                scores[top, left] = model(tile[None]).sigmoid().mean()  # finding: predict-per-item
    return scores


def export(model, requests):
    for request in requests:
        traced = torch.jit.trace(model, torch.zeros(1, 3, 256, 256))  # finding: compiled-per-call
        yield traced(request)


def export_once(model, path):
    torch.jit.trace(model, torch.zeros(1, 3, 256, 256)).save(path)


if __name__ == "__main__":
    import numpy as np

    data = np.load("tiles.npz")
    loader = DataLoader(Tiles(data["x"], data["y"]), 16, shuffle=True, num_workers=4)
    pl.Trainer(max_epochs=30).fit(UNet(), loader)
