import tempfile
import time

import torch

from data import LeafDataset, make_archive
from engine import Engine
from model import TinyUNet


def main():
    torch.manual_seed(0)
    train_set = LeafDataset(make_archive(96, 1), augment=True)
    val_set = LeafDataset(make_archive(64, 2), augment=False)
    with tempfile.TemporaryDirectory() as outdir:
        engine = Engine(TinyUNet(), train_set, val_set, outdir)
        for epoch in range(5):
            train_loss = engine.train_epoch()
            val_loss, iou = engine.evaluate()
            print(f"epoch {epoch} train {train_loss:.4f} val {val_loss:.4f} miou {iou.mean():.4f}", flush=True)
    print(f"cpu {time.process_time():.1f}s")


if __name__ == "__main__":
    main()
