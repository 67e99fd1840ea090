import torch
import torch.nn.functional as F
from transformers import CLIPModel, CLIPProcessor


class ZeroShot:
    """Classifies images against a list of class names."""

    def __init__(self, name, classes, device="cuda"):
        self.model = CLIPModel.from_pretrained(name).to(device).eval()
        self.processor = CLIPProcessor.from_pretrained(name)
        self.classes = classes
        self.device = device
        self.template = "a photo of a {}"

    def text_features(self):
        prompts = [self.template.format(c) for c in self.classes]
        inputs = self.processor(text=prompts, return_tensors="pt", padding=True).to(self.device)
        with torch.no_grad():
            return F.normalize(self.model.get_text_features(**inputs), dim=-1)

    @torch.no_grad()
    def predict(self, pixels):
        image = F.normalize(self.model.get_image_features(pixel_values=pixels), dim=-1)
        return image @ self.text_features().T
