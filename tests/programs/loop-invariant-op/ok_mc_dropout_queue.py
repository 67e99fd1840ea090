"""Worker that scores skin photos with an uncertainty (Monte-Carlo dropout)."""
import io
import json
import os
import time

import redis
import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image
from torchvision import models, transforms

PASSES = int(os.environ.get("MC_PASSES", 40))
CLASSES = ["nevus", "melanoma", "keratosis", "carcinoma"]

prep = transforms.Compose([
    transforms.Resize(256),
    transforms.CenterCrop(224),
    transforms.ToTensor(),
    transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
])


class Net(nn.Module):
    def __init__(self, p=0.3):
        super().__init__()
        backbone = models.resnet34(weights=None)
        self.features = nn.Sequential(*list(backbone.children())[:-1])
        self.head = nn.Sequential(nn.Dropout(p), nn.Linear(512, 128), nn.ReLU(), nn.Dropout(p), nn.Linear(128, len(CLASSES)))

    def embed(self, x):
        return self.features(x).flatten(1)

    def forward(self, x):
        return self.head(self.embed(x))


def enable_dropout(model):
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()


class Scorer:
    def __init__(self, weights, device):
        self.device = device
        self.net = Net().to(device)
        self.net.load_state_dict(torch.load(weights, map_location=device))
        self.net.eval()
        enable_dropout(self.net)
        self.noise = 0.02

    @torch.inference_mode()
    def score(self, image):
        x = prep(image).unsqueeze(0).to(self.device)
        z = self.net.embed(x)
        samples = []
        for _ in range(PASSES):
            samples.append(F.softmax(self.net.head(z), dim=-1))
        jittered = [F.softmax(self.net(x + self.noise * torch.randn_like(x)), dim=-1) for _ in range(4)]
        stacked = torch.cat(samples + jittered)
        mean = stacked.mean(0)
        entropy = -(mean * mean.clamp_min(1e-8).log()).sum()
        inner = -(stacked * stacked.clamp_min(1e-8).log()).sum(1).mean()
        return {
            "p": dict(zip(CLASSES, mean.tolist())),
            "uncertainty": entropy.item(),
            "mutual_information": (entropy - inner).item(),
        }


def main():
    r = redis.Redis(host=os.environ.get("REDIS", "localhost"))
    scorer = Scorer(os.environ["WEIGHTS"], "cuda" if torch.cuda.is_available() else "cpu")
    while True:
        item = r.blpop("photos", timeout=5)
        if item is None:
            continue
        job = json.loads(item[1])
        t = time.perf_counter()
        try:
            result = scorer.score(Image.open(io.BytesIO(r.get(job["blob"]))).convert("RGB"))
        except OSError as e:
            result = {"error": str(e)}
        result["seconds"] = time.perf_counter() - t
        r.publish(job["reply"], json.dumps(result))


if __name__ == "__main__":
    main()
