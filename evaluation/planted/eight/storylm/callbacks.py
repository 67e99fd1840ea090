import json

import torch
from transformers import TrainerCallback


class ParamWatch(TrainerCallback):
    def __init__(self, path):
        self.path = path
        self.rows = []

    def on_step_end(self, args, state, control, model=None, **kwargs):
        row = {"step": state.global_step}
        for name, p in model.named_parameters():
            row[name] = {
                "norm": p.norm().item(),
                "max": p.abs().max().item(),
                "q": [torch.quantile(p.detach().flatten(), q).item() for q in (0.05, 0.5, 0.95)],
            }
        self.rows.append(row)
        with open(self.path, "w") as fh:
            json.dump(self.rows, fh)


def ngrams(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


class SampleCallback(TrainerCallback):
    def __init__(self, tokenizer, prompts, references, new_tokens=56):
        self.tokenizer = tokenizer
        self.prompts = prompts
        self.references = references
        self.new_tokens = new_tokens
        self.scores = []

    def overlap(self, tokens):
        found = total = 0
        for n in (2, 3, 4):
            pool = []
            for ref in self.references:
                pool.extend(ngrams(ref, n))
            for gram in ngrams(tokens, n):
                total += 1
                found += gram in pool
        return found / max(total, 1)

    def on_evaluate(self, args, state, control, model=None, **kwargs):
        model.eval()
        texts = []
        for prompt in self.prompts:
            batch = self.tokenizer(prompt, return_tensors="pt", return_token_type_ids=False)
            out = model.generate(**batch, max_new_tokens=self.new_tokens, min_new_tokens=40, do_sample=False)
            texts.append(self.tokenizer.decode(out[0], skip_special_tokens=True))
        score = sum(self.overlap(t.split()) for t in texts) / len(texts)
        self.scores.append(score)
        print(f"step {state.global_step} overlap {score:.3f}", flush=True)
