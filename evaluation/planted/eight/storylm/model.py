import torch
from transformers import GPT2Config, GPT2LMHeadModel


def make_model(tokenizer, layers=2, width=64, positions=128):
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=positions,
        n_embd=width,
        n_layer=layers,
        n_head=4,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    config.use_cache = False
    return GPT2LMHeadModel(config)


class UnigramPrior(torch.nn.Module):
    def __init__(self, dataset, vocab_size):
        super().__init__()
        self.rows = [list(ids) for ids in dataset["input_ids"]]
        self.vocab_size = vocab_size

    def _count(self):
        counts = torch.ones(self.vocab_size)
        for ids in self.rows:
            counts.index_add_(0, torch.tensor(ids), torch.ones(len(ids)))
        counts[0] = 1.0
        return (counts / counts.sum()).log()

    def forward(self):
        return self._count()
