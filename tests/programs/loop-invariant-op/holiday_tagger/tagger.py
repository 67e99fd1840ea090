from io import BytesIO

import torch
from PIL import Image
from transformers import CLIPModel, CLIPProcessor

from settings import Settings


class AmenityTagger:
    """Zero-shot tags for the photos that landlords upload."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.device = torch.device(settings.device)
        self.model = CLIPModel.from_pretrained(settings.checkpoint).to(self.device).eval()
        self.processor = CLIPProcessor.from_pretrained(settings.checkpoint)
        self.prompts = [settings.template.format(a) for a in settings.amenities]

    def _label_embeddings(self):
        tokens = self.processor(text=self.prompts, return_tensors="pt", padding=True).to(self.device)
        emb = self.model.get_text_features(**tokens)  # note: loop-invariant-op
        return emb / emb.norm(dim=-1, keepdim=True)

    def _photo_embedding(self, raw: bytes):
        image = Image.open(BytesIO(raw)).convert("RGB")
        pixels = self.processor(images=image, return_tensors="pt").to(self.device)
        emb = self.model.get_image_features(**pixels)
        return emb / emb.norm(dim=-1, keepdim=True)

    @torch.no_grad()
    def tag(self, raw: bytes):
        photo = self._photo_embedding(raw)
        labels = self._label_embeddings()
        scale = self.model.logit_scale.exp()
        probs = (scale * photo @ labels.T).softmax(dim=-1)[0]
        best = probs.topk(self.settings.topk)
        return [
            {"amenity": self.settings.amenities[i], "p": round(p, 4)}
            for p, i in zip(best.values.tolist(), best.indices.tolist())
        ]
