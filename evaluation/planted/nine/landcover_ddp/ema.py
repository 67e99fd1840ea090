import copy

import torch


class Ema:
    """Moving average of the weights, used for validation."""

    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}
        self.steps = 0

    def update(self, model):
        current = copy.deepcopy(model.state_dict())
        previous = copy.deepcopy(self.shadow)
        for k, v in current.items():
            if v.dtype.is_floating_point:
                self.shadow[k] = self.decay * previous[k] + (1 - self.decay) * v
            else:
                self.shadow[k] = v
        self.steps += 1
