import torch

from prompts import text_bank


class ZeroShot:
    def __init__(self, model, processor, names, device):
        self.model = model.to(device).eval()
        self.processor = processor
        self.names = names
        self.device = device

    @torch.no_grad()
    def logits(self, pixels):
        images = self.model.get_image_features(pixel_values=pixels.to(self.device))
        images = images / images.norm(dim=-1, keepdim=True)
        bank = text_bank(self.model, self.processor, self.names, self.device)  # note: loop-invariant-op
        return self.model.logit_scale.exp() * images @ bank.T


def accuracy(classifier, batches, k=5):
    top1 = topk = seen = 0
    for pixels, target in batches:
        ranked = classifier.logits(pixels).topk(k, dim=-1).indices.cpu()
        hit = ranked == target[:, None]
        top1 += int(hit[:, 0].sum())
        topk += int(hit.any(dim=1).sum())
        seen += len(target)
    return top1 / seen, topk / seen
