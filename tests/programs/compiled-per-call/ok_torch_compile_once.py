import torch
from torch import nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, model, rate, device="cuda"):
        self.device = device
        self.model = torch.compile(model.to(device), mode="max-autotune")
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
        self.loss_fn = nn.CrossEntropyLoss()

    def epoch(self, loader):
        for images, labels in loader:
            images = images.to(self.device, non_blocking=True)
            labels = labels.to(self.device, non_blocking=True)
            self.optimizer.zero_grad(set_to_none=True)
            self.loss_fn(self.model(images), labels).backward()
            self.optimizer.step()


@torch.compile
def gelu(x):
    return 0.5 * x * (1.0 + torch.erf(x * 0.70710678))


def fit(model, dataset, epochs):
    trainer = Trainer(model, 3e-4)
    loader = DataLoader(dataset, 256, shuffle=True, num_workers=8, pin_memory=True)
    for _ in range(epochs):
        trainer.epoch(loader)
