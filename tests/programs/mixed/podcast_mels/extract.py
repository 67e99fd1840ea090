"""python extract.py /data/podcasts out/   (about 310k clips of 5-30 s)"""
import argparse
from pathlib import Path

import numpy as np
import soundfile as sf
import tensorflow as tf
from tqdm import tqdm

from frontends import BarkFrontend, MelFrontend
from settings import Mel

KINDS = {"mel": MelFrontend, "bark": BarkFrontend}


def clips(root):
    for path in sorted(Path(root).rglob("*.flac")):
        wav, rate = sf.read(path, dtype="float32")
        if wav.ndim == 2:
            wav = wav.mean(axis=1)
        yield path, tf.convert_to_tensor(wav), rate


def main():
    p = argparse.ArgumentParser()
    p.add_argument("src")
    p.add_argument("dst")
    p.add_argument("--kind", choices=KINDS, default="mel")
    p.add_argument("--bands", type=int, default=128)
    a = p.parse_args()

    cfg = Mel(bands=a.bands)
    front = KINDS[a.kind](cfg)
    mel = MelFrontend(cfg)
    dst = Path(a.dst)
    dst.mkdir(parents=True, exist_ok=True)
    total = tf.zeros([cfg.bands])
    frames = 0
    for path, wav, rate in tqdm(clips(a.src)):
        if rate != cfg.rate:
            continue
        feat = mel(wav) if a.kind == "mel" else front(wav)  # finding: loop-invariant-op
        total += tf.reduce_sum(feat, axis=0)
        frames += int(feat.shape[0])
        np.save(dst / f"{path.stem}.npy", feat.numpy().astype("float16"))
    np.save(dst / "mean.npy", (total / max(frames, 1)).numpy())


if __name__ == "__main__":
    main()
