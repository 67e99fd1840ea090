"""Remove watermarks from an archive of product photos by inpainting."""
import argparse
from itertools import islice
from pathlib import Path

import torch
from diffusers import AutoPipelineForInpainting, DPMSolverMultistepScheduler
from PIL import Image


class Inpainter:
    def __init__(self, name, steps, size):
        self.pipe = AutoPipelineForInpainting.from_pretrained(name, torch_dtype=torch.float16, variant="fp16")
        self.pipe.scheduler = DPMSolverMultistepScheduler.from_config(self.pipe.scheduler.config)
        self.pipe.to("cuda")
        self.pipe.set_progress_bar_config(disable=True)
        self.steps = steps
        self.size = size
        self.prompt = "clean product photo, plain background"

    def __call__(self, images, masks):
        out = self.pipe(
            prompt=[self.prompt] * len(images),
            image=images,
            mask_image=masks,
            num_inference_steps=self.steps,
            guidance_scale=4.0,
            height=self.size,
            width=self.size,
        ).images
        return out


class Archive:
    def __init__(self, source, masks, target, size):
        self.source, self.masks, self.target = source, masks, target
        self.size = (size, size)
        target.mkdir(parents=True, exist_ok=True)

    def todo(self):
        for path in sorted(self.source.glob("*.jpg")):
            if (self.masks / f"{path.stem}.png").exists() and not (self.target / path.name).exists():
                yield path

    def load(self, path):
        image = Image.open(path).convert("RGB").resize(self.size, Image.LANCZOS)
        mask = Image.open(self.masks / f"{path.stem}.png").convert("L").resize(self.size, Image.NEAREST)
        return image, mask


def groups(items, n):
    it = iter(items)
    while chunk := list(islice(it, n)):
        yield chunk


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("source", type=Path)
    ap.add_argument("masks", type=Path)
    ap.add_argument("target", type=Path)
    ap.add_argument("--model", default="stable-diffusion-v1-5/stable-diffusion-inpainting")
    ap.add_argument("--steps", type=int, default=8)
    ap.add_argument("--size", type=int, default=512)
    ap.add_argument("--batch-size", type=int, default=8)
    args = ap.parse_args()

    archive = Archive(args.source, args.masks, args.target, args.size)
    paint = Inpainter(args.model, args.steps, args.size)
    done = 0
    for paths in groups(archive.todo(), args.batch_size):
        images, masks = zip(*(archive.load(p) for p in paths))
        for path, result in zip(paths, paint(list(images), list(masks))):
            result.save(args.target / path.name, quality=95)
        done += len(paths)
        if done % 200 < args.batch_size:
            print(f"{done} photos")


if __name__ == "__main__":
    main()
