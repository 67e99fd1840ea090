# requires: torch==2.1.*, torchvision==0.16.*
"""Tells by features whether an upload looks like the reference photos of a product (FastAPI)."""
import io
import os
from pathlib import Path

import torch
import torch.nn.functional as F
from fastapi import FastAPI, UploadFile
from PIL import Image
from torchvision import models, transforms

REFERENCE = Path(os.environ.get("REFERENCE", "/data/reference"))
app = FastAPI()
backbone = models.resnet50(weights=models.ResNet50_Weights.DEFAULT)
backbone.fc = torch.nn.Identity()
backbone.eval()
prepare = transforms.Compose([
    transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor(),
    transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
])


def read_all(folder):
    return torch.stack([prepare(Image.open(p).convert("RGB")) for p in sorted(folder.glob("*.jpg"))])


reference_images = read_all(REFERENCE)


@torch.inference_mode()
def embed(batch):
    return F.normalize(backbone(batch), dim=1)


def similarity(image):
    query = embed(prepare(image)[None])
    known = embed(reference_images)  # note: loop-invariant-op
    return (query @ known.T).squeeze(0)


@app.post("/check")
async def check(file: UploadFile):
    image = Image.open(io.BytesIO(await file.read())).convert("RGB")
    near = similarity(image)
    value, index = near.max(dim=0)
    return {"similarity": float(value), "nearest": int(index), "accepted": bool(value > 0.72)}


@app.get("/ready")
def ready():
    return {"reference": len(reference_images)}
