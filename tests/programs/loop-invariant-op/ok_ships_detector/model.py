import torch
from torch import nn
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone

from anchors import decode, pyramid_anchors


class Head(nn.Module):
    def __init__(self, channels, anchors, outputs):
        super().__init__()
        self.outputs = outputs
        self.tower = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(),
        )
        self.out = nn.Conv2d(channels, anchors * outputs, 3, padding=1)

    def forward(self, maps):
        parts = []
        for m in maps:
            o = self.out(self.tower(m))
            parts.append(o.permute(0, 2, 3, 1).reshape(o.size(0), -1, self.outputs))
        return torch.cat(parts, dim=1)


class ShipDetector(nn.Module):
    def __init__(self, image_size=768, strides=(4, 8, 16, 32)):
        super().__init__()
        self.image_size = image_size
        self.strides = strides
        self.backbone = resnet_fpn_backbone("resnet50", weights=None)
        self.score = Head(256, 6, 1)
        self.box = Head(256, 6, 4)

    def forward(self, images):
        maps = list(self.backbone(images).values())[: len(self.strides)]
        anchors = pyramid_anchors(self.image_size, self.strides).to(images.device)
        scores = self.score(maps).squeeze(-1)
        boxes = decode(anchors, self.box(maps))
        return scores, boxes, anchors
