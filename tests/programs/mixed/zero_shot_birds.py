# requires: torch==2.1.2
"""Zero-shot bird classification with CLIP and prompt ensembles (transformers 4.36)."""
import argparse
import json

import torch
from torch.utils.data import DataLoader
from torchvision import datasets
from transformers import CLIPModel, CLIPProcessor

TEMPLATES = (
    "a photo of a {}, a type of bird.",
    "a close-up photo of the {}.",
    "a {} sitting on a branch.",
    "a blurry photo of a {} in flight.",
    "a drawing of a {}.",
)


class Prompts:
    def __init__(self, proc, names, device):
        self.tokens = [
            proc.tokenizer([t.format(n) for n in names], padding=True, return_tensors="pt").to(device)
            for t in TEMPLATES
        ]

    def __iter__(self):
        return iter(self.tokens)


class ZeroShot:
    def __init__(self, checkpoint, names, device, head="ensemble"):
        self.model = CLIPModel.from_pretrained(checkpoint).to(device).eval()
        self.proc = CLIPProcessor.from_pretrained(checkpoint)
        self.prompts = Prompts(self.proc, names, device)
        self.device = device
        self.heads = {"ensemble": self.ensemble, "vote": self.vote}
        self.head = self.heads[head]

    def directions(self):
        for tok in self.prompts:
            e = self.model.get_text_features(**tok)  # finding: loop-invariant-op
            yield e / e.norm(dim=-1, keepdim=True)

    def ensemble(self, img):
        w = torch.stack(list(self.directions())).mean(0)
        return img @ (w / w.norm(dim=-1, keepdim=True)).t()

    def vote(self, img):
        return sum(torch.softmax(100 * img @ w.t(), -1) for w in self.directions())

    def __call__(self, pixels):
        img = self.model.get_image_features(pixel_values=pixels.to(self.device))
        return self.head(img / img.norm(dim=-1, keepdim=True))


def loader(folder, proc, batch, workers):
    def tf(im):
        return proc.image_processor(im.convert("RGB"), return_tensors="pt")["pixel_values"][0]
    return DataLoader(datasets.ImageFolder(folder, tf), batch, num_workers=workers)


@torch.inference_mode()
def evaluate(clf, data):
    hit1 = hit5 = seen = 0
    for pixels, y in data:
        top = clf(pixels).topk(5).indices.cpu()
        good = top == y[:, None]
        hit1 += good[:, 0].sum().item()
        hit5 += good.any(1).sum().item()
        seen += len(y)
    return {"top1": hit1 / seen, "top5": hit5 / seen}


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("folder")
    ap.add_argument("names", help="json list with 555 species in folder order")
    ap.add_argument("--ckpt", default="openai/clip-vit-base-patch32")
    ap.add_argument("--head", choices=["ensemble", "vote"], default="ensemble")
    a = ap.parse_args(argv)
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with open(a.names) as fh:
        clf = ZeroShot(a.ckpt, json.load(fh), dev, a.head)
    print(evaluate(clf, loader(a.folder, clf.proc, 64, 8)))


if __name__ == "__main__":
    main()
