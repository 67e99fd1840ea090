"""Classifies images by texts, with CLIP, and tunes a head on the features."""

import argparse
import json

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets
from transformers import CLIPModel, CLIPProcessor

TEMPLATES = ["a photo of a {}.", "a drawing of a {}.", "a close-up of a {}."]


class Collate:
    def __init__(self, processor):
        self.processor = processor

    def __call__(self, batch):
        images, labels = zip(*batch)
        pixels = self.processor(images=list(images), return_tensors="pt")["pixel_values"]
        return pixels, torch.tensor(labels)


class ZeroShot:
    def __init__(self, name, classes, device):
        self.model = CLIPModel.from_pretrained(name).to(device).eval()
        self.processor = CLIPProcessor.from_pretrained(name)
        self.classes = classes
        self.device = device
        texts = [t.format(c) for c in classes for t in TEMPLATES]
        self.tokens = self.processor(text=texts, return_tensors="pt", padding=True).to(device)

    @torch.no_grad()
    def text_features(self):
        feats = self.model.get_text_features(**self.tokens)
        feats = feats.view(len(self.classes), len(TEMPLATES), -1).mean(dim=1)
        return F.normalize(feats, dim=-1)

    @torch.no_grad()
    def evaluate(self, loader):
        correct = total = 0
        for pixels, labels in loader:
            image = F.normalize(self.model.get_image_features(pixels.to(self.device)), dim=-1)
            text = self.text_features()  # finding: loop-invariant-op
            predicted = (100.0 * image @ text.t()).argmax(dim=-1).cpu()
            correct += (predicted == labels).sum().item()
            total += len(labels)
        return correct / total

    @torch.no_grad()
    def rank(self, loader, bank):
        """For each image, its nearest entries of a bank of features."""
        nearest = []
        for pixels, _ in loader:
            image = F.normalize(self.model.get_image_features(pixels.to(self.device)), dim=-1)
            similarity = image @ F.normalize(bank, dim=-1).t()
            nearest.append(similarity.topk(5, dim=-1).indices.cpu())
        return torch.cat(nearest)


class Head(torch.nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(classes, width) * 0.02)
        self.scale = torch.nn.Parameter(torch.tensor(10.0))

    def forward(self, x):
        return self.scale * F.normalize(x, dim=-1) @ F.normalize(self.weight, dim=-1).t()


def tune(shot, loader, epochs, lr):
    head = Head(shot.model.config.projection_dim, len(shot.classes)).to(shot.device)
    optimizer = torch.optim.AdamW(head.parameters(), lr=lr)
    anchor = shot.text_features()
    for epoch in range(epochs):
        for pixels, labels in loader:
            with torch.no_grad():
                feats = shot.model.get_image_features(pixels.to(shot.device))
            loss = F.cross_entropy(head(feats), labels.to(shot.device))
            loss = loss + 0.1 * (F.normalize(head.weight, dim=-1) - anchor).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(json.dumps({"epoch": epoch, "loss": loss.item()}))
    return head


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--model", default="openai/clip-vit-base-patch32")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--bank")
    args = parser.parse_args()
    data = datasets.ImageFolder(args.root)
    shot = ZeroShot(args.model, data.classes, "cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(data, 64, shuffle=True, num_workers=8, collate_fn=Collate(shot.processor))
    print("zero-shot accuracy", shot.evaluate(loader))
    if args.bank:
        torch.save(shot.rank(loader, torch.load(args.bank).to(shot.device)), "nearest.pt")
    tune(shot, loader, args.epochs, 1e-3)


if __name__ == "__main__":
    main()
