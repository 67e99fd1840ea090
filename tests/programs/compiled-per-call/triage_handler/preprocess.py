import io

import torch
from PIL import Image
from torchvision import transforms

PIPELINE = transforms.Compose(
    [
        transforms.Resize(256),
        transforms.CenterCrop(224),
        transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ]
)


def decode(raw):
    image = Image.open(io.BytesIO(raw)).convert("RGB")
    return PIPELINE(image)


def collate(images):
    return torch.stack(images)
