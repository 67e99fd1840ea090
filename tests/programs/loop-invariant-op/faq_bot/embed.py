import torch


def mean_pool(hidden, mask):
    mask = mask.unsqueeze(-1).float()
    return (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)


class Embedder:
    def __init__(self, tokenizer, model, device="cpu"):
        self.tokenizer = tokenizer
        self.model = model.to(device)
        self.model.eval()
        self.device = device

    @torch.inference_mode()
    def __call__(self, texts, batch_size=32):
        rows = []
        for start in range(0, len(texts), batch_size):
            batch = self.tokenizer(
                texts[start:start + batch_size], padding=True, truncation=True, return_tensors="pt"
            ).to(self.device)
            hidden = self.model(**batch).last_hidden_state
            rows.append(mean_pool(hidden, batch["attention_mask"]))
        return torch.nn.functional.normalize(torch.cat(rows), dim=1)
