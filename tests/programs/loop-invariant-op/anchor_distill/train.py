import argparse
import logging

import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

from distill.nets import Student, teacher_net
from distill.trainer import Trainer


def loaders(root, batch):
    norm = transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    train = datasets.ImageFolder(root + "/train", transforms.Compose([
        transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(),
        transforms.ToTensor(), norm,
    ]))
    valid = datasets.ImageFolder(root + "/val", transforms.Compose([
        transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor(), norm,
    ]))
    return (
        DataLoader(train, batch, shuffle=True, num_workers=8, pin_memory=True),
        DataLoader(valid, batch, num_workers=8, pin_memory=True),
    )


def pick_anchors(dataset, count):
    step = len(dataset) // count
    return torch.stack([dataset[i * step][0] for i in range(count)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--teacher", required=True)
    parser.add_argument("--classes", type=int, default=200)
    parser.add_argument("--anchors", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--kd", type=float, default=0.7)
    parser.add_argument("--anchor", type=float, default=10.0)
    parser.add_argument("--temperature", type=float, default=4.0)
    config = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    train, valid = loaders(config.root, config.batch)
    device = torch.device("cuda")
    anchors = pick_anchors(valid.dataset, config.anchors)
    trainer = Trainer(
        Student(config.classes), teacher_net(config.classes, config.teacher), anchors, config, device
    )
    trainer.fit(train, valid)
