from zlib import crc32

import torch
from torch import nn


class Encoder(nn.Module):
    """Hashed words, a small transformer, mean pooling."""

    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.table = nn.Embedding(settings.vocab, settings.width, padding_idx=0)
        self.position = nn.Parameter(0.02 * torch.randn(settings.max_words, settings.width))
        layer = nn.TransformerEncoderLayer(
            settings.width, settings.heads, 4 * settings.width, dropout=0.0, batch_first=True, norm_first=True
        )
        self.body = nn.TransformerEncoder(layer, settings.layers, enable_nested_tensor=False)

    def ids(self, text):
        found = [1 + crc32(w.encode()) % (self.settings.vocab - 1) for w in text.split()]
        return found[: self.settings.max_words] or [1]

    def forward(self, ids):
        keep = ids != 0
        x = self.table(ids) + self.position[: ids.shape[1]]
        x = self.body(x, src_key_padding_mask=~keep)
        keep = keep.unsqueeze(-1).to(x.dtype)
        return (x * keep).sum(1) / keep.sum(1)

    def encode(self, texts):
        rows = [self.ids(t) for t in texts]
        longest = max(map(len, rows))
        ids = torch.tensor([r + [0] * (longest - len(r)) for r in rows])
        return self(ids)
