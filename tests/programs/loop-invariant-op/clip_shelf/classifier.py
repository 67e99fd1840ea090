import torch
import torch.nn.functional as F
from transformers import CLIPModel, CLIPProcessor

from prompts import expand


class ZeroShotClassifier:
    def __init__(self, name="openai/clip-vit-base-patch32", device="cuda"):
        self.device = device
        self.model = CLIPModel.from_pretrained(name).to(device).eval()
        self.processor = CLIPProcessor.from_pretrained(name)

    def text_features(self, products):
        rows = []
        for product in products:
            tokens = self.processor(text=expand(product), return_tensors="pt", padding=True)
            emb = self.model.get_text_features(**tokens.to(self.device))
            emb = F.normalize(emb, dim=-1).mean(dim=0)
            rows.append(F.normalize(emb, dim=0))
        return torch.stack(rows)

    def image_features(self, pixel_values):
        emb = self.model.get_image_features(pixel_values=pixel_values.to(self.device))
        return F.normalize(emb, dim=-1)

    @torch.no_grad()
    def score(self, pixel_values, products):
        img = self.image_features(pixel_values)
        txt = self.text_features(products)  # note: loop-invariant-op
        scale = self.model.logit_scale.exp()
        return (scale * img @ txt.t()).softmax(dim=-1)
