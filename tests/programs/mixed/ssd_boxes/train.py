from functools import lru_cache

import torch
import torch.nn.functional as F
import torchvision
from torch.utils.data import DataLoader

import boxes as box_ops


@lru_cache(maxsize=None)
def grid(height, width, stride):
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    return torch.stack([x, y, x, y], -1).reshape(-1, 4) * stride


class Loss:
    def __init__(self, gamma):
        self.gamma = gamma
        self.base = box_ops.anchors([32, 64, 128], [0.5, 1.0, 2.0])

    def __call__(self, logits, truth):
        places = (grid(64, 64, 8)[:, None] + self.base).reshape(-1, 4)
        total = 0.0
        for scores, boxes in zip(logits, truth):
            goal = box_ops.targets(boxes, places)
            total = total + F.cross_entropy(scores, goal.clamp(min=0))
        return total / len(truth)


def collate(rows):
    images, boxes = zip(*rows)
    return torch.stack(images), list(boxes)


def train(model, data, device, epochs=12):
    loader = DataLoader(data, 8, shuffle=True, collate_fn=collate, num_workers=4, pin_memory=True)
    mean = torch.tensor([0.485, 0.456, 0.406], device=device).view(3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225], device=device).view(3, 1, 1)
    loss_of = Loss(2.0)
    optimizer = torch.optim.SGD(model.parameters(), 1e-2, momentum=0.9)
    for epoch in range(epochs):
        for images, truth in loader:
            images = box_ops.normalized(images.to(device), mean, std)
            loss = loss_of(model(images), [b.to(device) for b in truth])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def detect(paths):
    found = []
    for path in paths:
        image = torchvision.io.read_image(path).float() / 255
        net = torchvision.models.detection.ssd300_vgg16(weights="DEFAULT").eval()  # finding: model-per-turn
        found.append(net([image])[0])  # finding: predict-per-item
    return found


def detect_mixed(model, paths):
    out = []
    with torch.inference_mode():
        for path in paths:
            image = torchvision.io.read_image(path).float() / 255
            out.append(model([image])[0]["boxes"].cpu())
    return out
