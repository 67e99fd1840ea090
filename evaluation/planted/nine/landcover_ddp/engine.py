
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

import comms
from ema import Ema
from losses import confusion, mean_iou, segmentation_loss
from network import UNet
from preview import write_previews


class Engine:
    def __init__(self, cfg, train_set, val_set, out_dir):
        self.cfg = cfg
        self.out_dir = out_dir
        self.n_classes = len(cfg.classes)
        net = UNet(cfg.bands, self.n_classes, cfg.base)
        self.model = DDP(net, find_unused_parameters=True)
        self.eval_net = UNet(cfg.bands, self.n_classes, cfg.base)
        self.ema = Ema(net, cfg.ema_decay)
        self.optimizer = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
        self.sampler = DistributedSampler(train_set, shuffle=True, seed=cfg.seed, drop_last=True)
        self.train_loader = DataLoader(train_set, cfg.batch_size, sampler=self.sampler, drop_last=True)
        self.val_loader = DataLoader(val_set, cfg.batch_size)
        self.step = 0

    def micro_step(self, x, y, last):
        logits = self.model(x)
        loss = segmentation_loss(logits, y) / self.cfg.accumulate
        loss.backward()
        if last:
            self.optimizer.step()
            self.optimizer.zero_grad()
            self.ema.update(self.model.module)
        return logits.detach(), loss.item() * self.cfg.accumulate

    def train_epoch(self, epoch):
        self.model.train()
        self.sampler.set_epoch(epoch)
        self.train_loader.dataset.epoch = epoch
        matrix = torch.zeros(self.n_classes, self.n_classes, dtype=torch.float64)
        losses = []
        for x, y in self.train_loader:
            self.step += 1
            logits, loss = self.micro_step(x, y, self.step % self.cfg.accumulate == 0)
            for part in comms.gather({"logits": logits, "mask": y, "loss": loss}):
                matrix += confusion(part["logits"].argmax(1), part["mask"], self.n_classes)
                losses.append(part["loss"])
            if self.step % self.cfg.preview_every == 0 and comms.is_main():
                k = self.cfg.preview_tiles
                write_previews(self.out_dir / "previews", self.step, logits.argmax(1)[:k], y[:k])
            comms.wait_for_all()
        return sum(losses) / len(losses), mean_iou(matrix)

    @torch.inference_mode()
    def validate(self):
        self.eval_net.load_state_dict(self.ema.shadow)
        self.eval_net.eval()
        matrix = torch.zeros(self.n_classes, self.n_classes, dtype=torch.float64)
        for x, y in self.val_loader:
            matrix += confusion(self.eval_net(x).argmax(1), y, self.n_classes)
        return mean_iou(matrix)

    def fit(self):
        score = 0.0
        for epoch in range(self.cfg.epochs):
            loss, train_iou = self.train_epoch(epoch)
            score = self.validate()
            if comms.is_main():
                print(f"epoch {epoch} loss {loss:.4f} train iou {train_iou:.4f} val iou {score:.4f}", flush=True)
                torch.save({"ema": self.ema.shadow, "step": self.step}, self.out_dir / "ema.pt")
            comms.wait_for_all()
        return score
