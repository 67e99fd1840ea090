"""Train a small bird-call classifier on a (synthetic) archive of field recordings."""
import tempfile
import time
from pathlib import Path

import torch

from config import AudioConfig, TrainConfig
from data import CallDataset, class_weights, make_loaders
from model import CallNet
from synth import build_archive
from trainer import Trainer


def main():
    audio, cfg = AudioConfig(), TrainConfig()
    torch.manual_seed(cfg.seed)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="birdcalls-") as tmp:
        root = Path(tmp)
        build_archive(root, audio, cfg)
        train_set = CallDataset(root, "train", audio, cfg)
        val_set = CallDataset(root, "val", audio, cfg)
        weights = class_weights(train_set, len(cfg.species))
        train_loader, val_loader = make_loaders(train_set, val_set, cfg)
        model = CallNet(audio.n_mels, cfg.channels, cfg.hidden, len(cfg.species))
        trainer = Trainer(model, weights, cfg, root)
        best = trainer.fit(train_loader, val_loader)
    print(f"best macro f1 {best:.3f} after {trainer.step} steps in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
