"""Inception features of video frames, one .npy per video."""
import argparse
import os

import cv2
import numpy as np

from graph import Extractor


def frames(path, every):
    video = cv2.VideoCapture(path)
    n = 0
    while True:
        ok, frame = video.read()
        if not ok:
            break
        if n % every == 0:
            yield cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)
        n += 1
    video.release()


def groups(items, size):
    group = []
    for item in items:
        group.append(item)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def describe(extractor, path, every, size):
    rows = []
    for group in groups(frames(path, every), size):
        rows.extend(extractor.features(group))
    return np.array(rows, dtype=np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("videos")
    parser.add_argument("out")
    parser.add_argument("--model", default="classify_image_graph_def.pb")
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--group", type=int, default=16)
    args = parser.parse_args()
    extractor = Extractor(args.model)
    for name in sorted(os.listdir(args.videos)):
        target = os.path.join(args.out, os.path.splitext(name)[0] + ".npy")
        if os.path.exists(target):
            continue
        f = describe(extractor, os.path.join(args.videos, name), args.every, args.group)
        np.save(target, f)
        print(name, f.shape)


if __name__ == "__main__":
    main()
