"""Trains a last layer on image files, as PyTorch's tutorial on transfer learning does."""

import pathlib
import time

import numpy as np
import torch
from PIL import Image
from torch import nn, optim
from torch.optim import lr_scheduler
from torchvision import datasets, models, transforms

ROOT = pathlib.Path("insects")
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
CHANGES = {
    "train": transforms.Compose(
        [
            transforms.RandomResizedCrop(64),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize(MEAN, DEVIATION),
        ]
    ),
    "val": transforms.Compose(
        [
            transforms.Resize(72),
            transforms.CenterCrop(64),
            transforms.ToTensor(),
            transforms.Normalize(MEAN, DEVIATION),
        ]
    ),
}


def write_images():
    generator = np.random.default_rng(0)
    for part, count in (("train", 240), ("val", 150)):
        for number, kind in enumerate(("ants", "bees")):
            folder = ROOT / part / kind
            folder.mkdir(parents=True, exist_ok=True)
            for image in range(count // 2):
                picture = generator.integers(0, 150, (300, 400, 3), dtype=np.uint8)
                picture[:, :, number] += 80
                Image.fromarray(picture).save(folder / f"{image}.jpg")


def train_model(model, loaders, sizes, criterion, optimizer, scheduler, epochs):
    since = time.time()
    best = 0.0
    torch.save(model.state_dict(), "best.pt")
    for epoch in range(epochs):
        for phase in ("train", "val"):
            model.train(phase == "train")
            total, right = 0.0, 0
            for inputs, labels in loaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    predictions = outputs.argmax(1)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                total += loss.item() * inputs.size(0)
                right += torch.sum(predictions == labels.data)
            if phase == "train":
                scheduler.step()
            accuracy = right.double() / sizes[phase]
            print(f"epoch {epoch}, {phase}: loss {total / sizes[phase]:.4f}, right {accuracy:.3f}")
            if phase == "val" and accuracy > best:
                best = accuracy
                torch.save(model.state_dict(), "best.pt")
    print(f"took {time.time() - since:.0f} s")
    model.load_state_dict(torch.load("best.pt", weights_only=True))
    return model


def main():
    torch.manual_seed(0)
    write_images()
    images = {part: datasets.ImageFolder(ROOT / part, CHANGES[part]) for part in CHANGES}
    loaders = {
        part: torch.utils.data.DataLoader(images[part], batch_size=4, shuffle=True, num_workers=4)
        for part in images
    }
    sizes = {part: len(images[part]) for part in images}
    model = models.resnet18()
    for parameter in model.parameters():
        parameter.requires_grad = False
    model.fc = nn.Linear(model.fc.in_features, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.fc.parameters(), lr=0.001, momentum=0.9)
    scheduler = lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
    train_model(model, loaders, sizes, criterion, optimizer, scheduler, epochs=6)


if __name__ == "__main__":
    main()
