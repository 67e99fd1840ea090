import os
from dataclasses import dataclass, field
from typing import List


@dataclass
class Settings:
    checkpoint: str = os.environ.get("TAGGER_CKPT", "openai/clip-vit-base-patch32")
    device: str = os.environ.get("TAGGER_DEVICE", "cuda")
    topk: int = 3
    amenities: List[str] = field(
        default_factory=lambda: [
            "swimming pool", "sauna", "balcony", "sea view", "fireplace", "garden",
            "parking lot", "kitchen", "double bed", "bunk bed", "bathtub", "shower",
            "dining table", "television", "desk", "barbecue", "playground", "elevator",
        ]
    )
    template: str = "a photo of a holiday flat with a {}"
