# requires: tensorflow==2.14.0
import tensorflow as tf


def causal_mask(length):
    return 1.0 - tf.linalg.band_part(tf.ones((length, length)), -1, 0)


class Generator:
    def __init__(self, model, tokenizer, context=256):
        self.model = model
        self.tokenizer = tokenizer
        self.context = context

    def complete(self, prompt, count):
        tokens = self.tokenizer.encode(prompt)
        produced = 0
        while produced < count:
            mask = causal_mask(self.context)
            logits = self.model([tf.constant([tokens[-self.context :]]), mask])
            tokens.append(int(tf.argmax(logits[0, -1])))
            produced += 1
        return self.tokenizer.decode(tokens)
