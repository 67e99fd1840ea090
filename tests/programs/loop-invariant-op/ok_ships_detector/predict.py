import argparse
import csv
import pathlib

import torch
from PIL import Image
from torchvision.ops import nms
from torchvision.transforms.functional import to_tensor

from model import ShipDetector


def tiles(path, size):
    image = Image.open(path).convert("RGB")
    for top in range(0, image.height, size):
        for left in range(0, image.width, size):
            crop = image.crop((left, top, left + size, top + size))
            yield left, top, to_tensor(crop)


@torch.inference_mode()
def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("scenes", type=pathlib.Path)
    ap.add_argument("--weights", default="ships.pt")
    ap.add_argument("--out", default="ships.csv")
    args = ap.parse_args()
    net = ShipDetector()
    net.load_state_dict(torch.load(args.weights, map_location="cpu"))
    net.cuda().eval()
    with open(args.out, "w", newline="") as f:
        rows = csv.writer(f)
        for scene in sorted(args.scenes.glob("*.png")):
            for left, top, tile in tiles(scene, net.image_size):
                scores, boxes, _ = net(tile[None].cuda())
                keep = scores[0] > 0
                found, p = boxes[0][keep], scores[0][keep]
                for i in nms(found, p, 0.4).tolist():
                    x0, y0, x1, y1 = found[i].tolist()
                    rows.writerow([scene.name, left + x0, top + y0, left + x1, top + y1, p[i].item()])


if __name__ == "__main__":
    main()
