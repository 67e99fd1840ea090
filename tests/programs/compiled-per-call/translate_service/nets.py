import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab, dim=512, layers=6):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        layer = nn.TransformerEncoderLayer(dim, 8, batch_first=True)
        self.body = nn.TransformerEncoder(layer, layers)

    def forward(self, ids):
        return self.body(self.emb(ids), src_key_padding_mask=ids == 0)


class Decoder(nn.Module):
    def __init__(self, vocab, dim=512, layers=6):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        layer = nn.TransformerDecoderLayer(dim, 8, batch_first=True)
        self.body = nn.TransformerDecoder(layer, layers)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, memory):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.size(1)).to(memory.device)
        return self.head(self.body(self.emb(ids), memory, tgt_mask=mask)[:, -1])


def load(path, device):
    state = torch.load(path, map_location=device)
    encoder = Encoder(state["vocab"])
    decoder = Decoder(state["vocab"])
    encoder.load_state_dict(state["encoder"])
    decoder.load_state_dict(state["decoder"])
    return encoder.to(device).eval(), decoder.to(device).eval()
