"""Who is at the door? A camera, a gallery of faces, a message for each visitor."""
import argparse
import json
import time
from urllib import request

import cv2
import torch
from PIL import Image

from embedder import Embedder
from gallery import Gallery


def frames(source):
    camera = cv2.VideoCapture(source)
    while camera.isOpened():
        ok, frame = camera.read()
        if not ok:
            break
        yield Image.fromarray(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB))
    camera.release()


def tell(url, name, distance):
    body = json.dumps({"name": name, "distance": distance, "at": time.time()}).encode()
    request.urlopen(request.Request(url, body, {"Content-Type": "application/json"}))


def watch(gallery, source, url, threshold):
    last = None
    for picture in frames(source):
        name, distance = gallery.match(gallery.embedder.transform(picture))
        if distance < threshold and name != last:
            tell(url, name, distance)
            last = name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gallery")
    parser.add_argument("--weights", default="faces.pt")
    parser.add_argument("--camera", type=int, default=0)
    parser.add_argument("--url", default="http://localhost:8080/visitors")
    parser.add_argument("--threshold", type=float, default=0.7)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    gallery = Gallery(args.gallery, Embedder(args.weights, device))
    watch(gallery, args.camera, args.url, args.threshold)


if __name__ == "__main__":
    main()
