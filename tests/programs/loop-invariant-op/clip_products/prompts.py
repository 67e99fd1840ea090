"""Text side: from product names to unit vectors."""
import torch

TEMPLATES = (
    "a photo of {}.",
    "a product photo of {} on a shelf.",
    "a blurry photo of {}.",
    "a close-up of {}.",
    "a photo of a package of {}.",
)


def expand(names):
    return [[template.format(name) for template in TEMPLATES] for name in names]


def text_bank(model, processor, names, device):
    """One averaged vector per product name."""
    rows = []
    for prompts in expand(names):
        tokens = processor(text=prompts, padding=True, return_tensors="pt").to(device)
        vectors = model.get_text_features(**tokens)
        vectors = vectors / vectors.norm(dim=-1, keepdim=True)
        mean = vectors.mean(dim=0)
        rows.append(mean / mean.norm())
    return torch.stack(rows)
