import argparse

import torch
from transformers import CLIPModel, CLIPProcessor

from classify import ZeroShot, accuracy
from data import loader


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--checkpoint", default="openai/clip-vit-base-patch32")
    parser.add_argument("--batch-size", type=int, default=64)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    processor = CLIPProcessor.from_pretrained(args.checkpoint)
    model = CLIPModel.from_pretrained(args.checkpoint)
    names, batches = loader(args.folder, processor, args.batch_size)
    top1, top5 = accuracy(ZeroShot(model, processor, names, device), batches)
    print(f"{len(names)} products, top-1 {top1:.3f}, top-5 {top5:.3f}")


if __name__ == "__main__":
    main()
