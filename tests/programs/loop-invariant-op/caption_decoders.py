from abc import ABC, abstractmethod

import torch


class Decoder(ABC):
    def __init__(self, net, steps):
        self.net = net
        self.steps = steps
        self.net.eval()

    @abstractmethod
    def allowed(self, tokens): ...

    @torch.no_grad()
    def decode(self, image, start):
        tokens = start
        for _ in range(self.steps):
            memory = self.net.encode_image(image)  # note: loop-invariant-op
            logits = self.net.decode(tokens, memory)[:, -1]
            logits = logits.masked_fill(~self.allowed(tokens), float("-inf"))
            tokens = torch.cat([tokens, logits.argmax(-1, keepdim=True)], 1)
        return tokens


class Listed(Decoder):
    def __init__(self, words, vocab, *args):
        super().__init__(*args)
        self.words = words
        self.vocab = vocab

    def allowed(self, tokens):
        mask = torch.zeros(self.vocab, dtype=torch.bool)
        mask[torch.tensor(self.words)] = True
        return mask.expand(len(tokens), -1)


class Fresh(Decoder):
    def __init__(self, vocab, *args):
        super().__init__(*args)
        self.vocab = vocab

    def allowed(self, tokens):
        mask = torch.ones(len(tokens), self.vocab, dtype=torch.bool)
        return mask.scatter(1, tokens, False)
