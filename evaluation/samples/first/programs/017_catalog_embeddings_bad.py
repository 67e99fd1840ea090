"""Embed the product catalogue for visual search."""
import argparse
from pathlib import Path

import faiss
import numpy as np
import timm
import torch
from PIL import Image
from timm.data import create_transform, resolve_data_config
from tqdm import tqdm


class Embedder:
    def __init__(self, arch, device):
        self.device = device
        self.net = timm.create_model(arch, pretrained=True, num_classes=0).to(device).eval()
        self.prep = create_transform(**resolve_data_config({}, model=self.net))

    def open(self, path):
        with Image.open(path) as im:
            return self.prep(im.convert("RGB"))

    @torch.inference_mode()
    def __call__(self, paths):
        rows = []
        for path in tqdm(paths):
            image = self.open(path).unsqueeze(0).to(self.device)
            with torch.autocast(self.device.type, dtype=torch.float16):
                rows.append(self.net(image).squeeze(0).float())
        return torch.stack(rows).cpu().numpy()


def index(vectors):
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    faiss.normalize_L2(vectors)
    idx = faiss.IndexFlatIP(vectors.shape[1])
    idx.add(vectors)
    return idx


def main():
    p = argparse.ArgumentParser()
    p.add_argument("images", type=Path)
    p.add_argument("--arch", default="vit_base_patch16_224.dino")
    p.add_argument("--out", type=Path, default=Path("catalogue"))
    args = p.parse_args()

    paths = sorted(args.images.rglob("*.jpg"))
    print(f"{len(paths):,} product photos")
    embedder = Embedder(args.arch, torch.device("cuda"))
    vectors = embedder(paths)
    args.out.mkdir(exist_ok=True)
    faiss.write_index(index(vectors), str(args.out / "flat.faiss"))
    (args.out / "names.txt").write_text("\n".join(p.stem for p in paths))


if __name__ == "__main__":
    main()
