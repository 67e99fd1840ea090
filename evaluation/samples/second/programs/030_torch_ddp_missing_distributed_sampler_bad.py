import os
from types import SimpleNamespace

import torch
import torch.distributed as dist
import torch.nn.functional as F
import yaml
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torchvision.datasets import OxfordIIITPet
from torchvision.models.segmentation import deeplabv3_resnet50
from torchvision.transforms import v2

DEFAULTS = """
root: /datasets/pets
epochs: 40
batch: 16
lr: 0.0006
size: 384
"""


def setup():
    dist.init_process_group("nccl")
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    return torch.device("cuda", rank)


class Pets(OxfordIIITPet):
    def __init__(self, root, split, size):
        super().__init__(root, split=split, target_types="segmentation", download=False)
        self.img = v2.Compose([v2.ToImage(), v2.Resize((size, size)), v2.ToDtype(torch.float32, scale=True)])
        self.seg = v2.Compose([v2.ToImage(), v2.Resize((size, size), interpolation=v2.InterpolationMode.NEAREST)])

    def __getitem__(self, i):
        image, trimap = super().__getitem__(i)
        return self.img(image), self.seg(trimap)[0].long() - 1


def make_loader(cfg, split):
    ds = Pets(cfg.root, split, cfg.size)
    train = split == "trainval"
    return DataLoader(
        ds,
        batch_size=cfg.batch,
        shuffle=train,
        num_workers=6,
        pin_memory=True,
        persistent_workers=True,
        drop_last=train,
    )


class Engine:
    def __init__(self, cfg, device):
        self.cfg, self.device = cfg, device
        net = deeplabv3_resnet50(weights=None, num_classes=3).to(device)
        net = torch.nn.SyncBatchNorm.convert_sync_batchnorm(net)
        self.net = DistributedDataParallel(net, device_ids=[device.index])
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=cfg.lr)

    def epoch(self, data):
        self.net.train()
        for x, y in data:
            x, y = x.to(self.device, non_blocking=True), y.to(self.device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = F.cross_entropy(self.net(x)["out"], y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


def main():
    cfg = SimpleNamespace(**yaml.safe_load(DEFAULTS))
    device = setup()
    engine = Engine(cfg, device)
    data = make_loader(cfg, "trainval")
    for ep in range(cfg.epochs):
        engine.epoch(data)
        if dist.get_rank() == 0:
            torch.save(engine.net.module.state_dict(), f"pets_{ep:03d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
