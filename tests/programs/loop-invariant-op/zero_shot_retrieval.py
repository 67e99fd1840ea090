# requires: torch==2.2
"""Zero-shot labels and nearest neighbours for a folder of product photos (CLIP)."""
import json
import sys
from pathlib import Path

import torch
from PIL import Image
from transformers import CLIPModel, CLIPProcessor

LABELS = Path("labels.txt").read_text().splitlines()


class Catalogue:
    """Embeddings of the products that we already have."""

    def __init__(self, path, device):
        blob = torch.load(path, map_location=device)
        self.vectors = blob["vectors"]
        self.names = blob["names"]

    def unit_vectors(self):
        return torch.nn.functional.normalize(self.vectors, dim=-1)

    def nearest(self, queries, k=5):
        sims = queries @ self.unit_vectors().T
        return [[self.names[i] for i in row] for row in sims.topk(k).indices.tolist()]


class Tagger:
    def __init__(self, name="openai/clip-vit-base-patch32"):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.model = CLIPModel.from_pretrained(name).to(self.device).eval()
        self.processor = CLIPProcessor.from_pretrained(name)
        self.prompts = [f"a photo of a {label}" for label in LABELS]

    def text_features(self):
        tokens = self.processor(text=self.prompts, return_tensors="pt", padding=True)
        feats = self.model.get_text_features(**tokens.to(self.device))
        return feats / feats.norm(dim=-1, keepdim=True)

    def image_features(self, images):
        pixels = self.processor(images=images, return_tensors="pt").to(self.device)
        feats = self.model.get_image_features(**pixels)
        return feats / feats.norm(dim=-1, keepdim=True)

    @torch.inference_mode()
    def tag(self, images):
        feats = self.image_features(images)
        logits = 100.0 * feats @ self.text_features().T  # note: loop-invariant-op
        return feats, [LABELS[i] for i in logits.argmax(dim=-1).tolist()]


def chunks(folder, size=64):
    chunk = []
    for path in sorted(Path(folder).glob("*.jpg")):
        chunk.append(path)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def main(folder, catalogue_path):
    tagger = Tagger()
    catalogue = Catalogue(catalogue_path, tagger.device)
    with open("tags.jsonl", "w") as out:
        for paths in chunks(folder):
            images = [Image.open(p).convert("RGB") for p in paths]
            feats, tags = tagger.tag(images)
            for path, tag, near in zip(paths, tags, catalogue.nearest(feats)):
                out.write(json.dumps({"file": path.name, "tag": tag, "near": near}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
