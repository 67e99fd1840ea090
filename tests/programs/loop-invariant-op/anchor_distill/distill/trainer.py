import logging

import torch
import torch.nn.functional as F

from .losses import AnchorLoss, kd_loss

log = logging.getLogger(__name__)


class Trainer:
    def __init__(self, student, teacher, anchors, config, device):
        self.student = student.to(device)
        self.teacher = teacher.to(device)
        self.anchor_loss = AnchorLoss(teacher, anchors).to(device)
        self.config = config
        self.device = device
        self.optimizer = torch.optim.SGD(
            student.parameters(), lr=config.lr, momentum=0.9, weight_decay=1e-4
        )
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, config.epochs)

    def loss(self, images, labels):
        logits = self.student(images)
        with torch.no_grad():
            soft = self.teacher(images)
        value = F.cross_entropy(logits, labels)
        value = value + self.config.kd * kd_loss(logits, soft, self.config.temperature)
        return value + self.config.anchor * self.anchor_loss(self.student)

    def step(self, images, labels):
        images = images.to(self.device, non_blocking=True)
        labels = labels.to(self.device, non_blocking=True)
        loss = self.loss(images, labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def fit(self, train, valid):
        for epoch in range(self.config.epochs):
            self.student.train()
            losses = [self.step(images, labels) for images, labels in train]
            self.scheduler.step()
            log.info(
                "epoch %d loss %.4f acc %.4f",
                epoch, torch.stack(losses).mean().item(), self.evaluate(valid),
            )

    @torch.no_grad()
    def evaluate(self, loader):
        self.student.eval()
        right = seen = 0
        for images, labels in loader:
            pred = self.student(images.to(self.device)).argmax(1).cpu()
            right += (pred == labels).sum().item()
            seen += len(labels)
        return right / seen
