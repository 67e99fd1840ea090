import sys

import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

from networks import Baseline, Replk
from score import collect, confusion, quadratic_kappa


def loaders(root):
    prepare = transforms.Compose([transforms.Resize((256, 256)), transforms.ToTensor()])
    sets = {part: datasets.ImageFolder(f"{root}/{part}", prepare) for part in ("train", "test")}
    return {
        part: DataLoader(held, batch_size=32, shuffle=part == "train", num_workers=8, pin_memory=True)
        for part, held in sets.items()
    }


def train_epoch(model, loader, optimizer, device):
    model.train()
    for images, labels in loader:
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    device = torch.device("cuda")
    parts = loaders(sys.argv[1])
    model = (Replk() if "--large" in sys.argv else Baseline()).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    for epoch in range(40):
        train_epoch(model, parts["train"], optimizer, device)
        truth, guess = collect(model, parts["test"], device)
        print(epoch, quadratic_kappa(confusion(truth, guess, 5)))
