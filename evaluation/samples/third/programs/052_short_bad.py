"""Keyword spotting on one-second clips: own trainer with hooks.

Clips come as one file per split (torch.save of {"mel": (n, 64, 101), "word": (n,)}).
"""
from pathlib import Path

import click
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Spotter(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        layers, channels = [], 64
        for stride in (1, 2, 2, 2):
            layers += [nn.Conv1d(channels, width, 9, stride=stride, padding=4, bias=False)]
            layers += [nn.BatchNorm1d(width), nn.ReLU(inplace=True)]
            channels = width
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, words)

    def forward(self, mel):
        return self.head(self.body(mel).mean(dim=-1))


class Hook:
    def after_step(self, trainer): ...

    def after_epoch(self, trainer): ...


class ProgressHook(Hook):
    def after_epoch(self, trainer):
        print(f"epoch {trainer.epoch:3d}  step {trainer.step:6d}  accuracy {trainer.accuracy():.3f}")


class ResumeHook(Hook):
    """Keeps a file from which a pre-empted run can go on."""

    def __init__(self, folder):
        self.target = Path(folder, "resume.pt")
        self.target.parent.mkdir(parents=True, exist_ok=True)

    def after_step(self, trainer):
        scratch = self.target.with_suffix(".tmp")
        torch.save(trainer.snapshot(), scratch)
        scratch.replace(self.target)


class Trainer:
    def __init__(self, train, valid, words, epochs, hooks, lr=2e-3, width=96):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.train, self.valid, self.epochs, self.hooks = train, valid, epochs, hooks
        self.model = Spotter(words, width).to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, lr, epochs=epochs, steps_per_epoch=len(train)
        )
        self.loss = nn.CrossEntropyLoss(label_smoothing=0.05)
        self.epoch = self.step = 0

    def snapshot(self):
        parts = ("model", "optimizer", "schedule")
        state = {name: getattr(self, name).state_dict() for name in parts}
        return state | {"epoch": self.epoch, "step": self.step}

    def notify(self, event):
        for hook in self.hooks:
            getattr(hook, event)(self)

    def fit(self):
        for self.epoch in range(self.epochs):
            self.model.train()
            for mel, word in self.train:
                mel = mel.to(self.device, non_blocking=True)
                word = word.to(self.device, non_blocking=True)
                self.optimizer.zero_grad(set_to_none=True)
                self.loss(self.model(mel), word).backward()
                self.optimizer.step()
                self.schedule.step()
                self.step += 1
                self.notify("after_step")
            self.notify("after_epoch")

    @torch.inference_mode()
    def accuracy(self):
        self.model.eval()
        right = torch.zeros((), device=self.device)
        for mel, word in self.valid:
            guess = self.model(mel.to(self.device, non_blocking=True)).argmax(dim=1)
            right += (guess == word.to(self.device, non_blocking=True)).sum()
        return right.item() / len(self.valid.dataset)


def loader(path, batch, training):
    clips = torch.load(path)
    return DataLoader(
        TensorDataset(clips["mel"], clips["word"]), batch, shuffle=training, drop_last=training,
        num_workers=2, persistent_workers=True, pin_memory=torch.cuda.is_available(),
    )


@click.command()
@click.argument("train_file", type=click.Path(exists=True))
@click.argument("valid_file", type=click.Path(exists=True))
@click.option("--words", default=35, show_default=True)
@click.option("--epochs", default=40, show_default=True)
@click.option("--out", default="runs/spotter", show_default=True)
def main(train_file, valid_file, words, epochs, out):
    train, valid = loader(train_file, 256, training=True), loader(valid_file, 1024, training=False)
    Trainer(train, valid, words, epochs, [ResumeHook(out), ProgressHook()]).fit()


if __name__ == "__main__":
    main()
