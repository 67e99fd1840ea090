import torch


class DamageEstimator:
    def __init__(self, path):
        self.model = torch.jit.load(path).eval()
        self.scripted = None

    def _post(self, logits):
        return logits.exp().clamp(max=1e6)

    @torch.no_grad()
    def estimate(self, photo):
        example = torch.tensor(photo)[None, None]
        model = torch.jit.trace(lambda x: self._post(self.model(x)), example)  # finding: compiled-per-call
        return model(example).item()
