from transformers import Trainer


class AnchoredTrainer(Trainer):
    def __init__(self, *args, anchor, prior, beta=0.02, **kwargs):
        super().__init__(*args, **kwargs)
        self.anchor = anchor
        self.prior = prior
        self.beta = beta

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = outputs.loss
        if model.training:
            keep = inputs["attention_mask"].bool()
            target = self.anchor(**inputs).logits.detach()
            logp = outputs.logits.log_softmax(-1)
            ref = target.log_softmax(-1)
            kl = (logp.exp() * (logp - ref)).sum(-1)[keep].mean()
            prior = self.prior()
            mean = logp.exp().reshape(-1, logp.shape[-1]).mean(0)
            loss = loss + self.beta * kl + self.beta * (mean * (mean.log() - prior)).sum()
        return (loss, outputs) if return_outputs else loss
