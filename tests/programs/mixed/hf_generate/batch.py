"""Summaries of a file of texts, one per line."""
import sys

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

SIZE = 16


def blocks(lines):
    block = []
    for line in lines:
        block.append(line)
        if len(block) == SIZE:
            yield block
            block = []
    if block:
        yield block


class Summarizer:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForSeq2SeqLM.from_pretrained(name).eval()
        self.model.forward = torch.compile(self.model.forward, dynamic=True)

    @torch.inference_mode()
    def __call__(self, texts):
        inputs = self.tokenizer(texts, return_tensors="pt", padding=True)
        return self.tokenizer.batch_decode(self.model.generate(**inputs))

    def encoder_states(self, texts):
        inputs = self.tokenizer(texts, return_tensors="pt", padding="max_length", max_length=256)
        with torch.no_grad():
            traced = torch.jit.trace(self.model.get_encoder(), inputs.input_ids, strict=False)  # finding: compiled-per-call
            return traced(inputs.input_ids)["last_hidden_state"]


def main():
    summarizer = Summarizer(sys.argv[1])
    with open(sys.argv[2]) as file:
        for block in blocks(file):
            for text in summarizer(block):
                print(text)
    with open(sys.argv[2]) as file:
        states = [summarizer.encoder_states(block).mean(1) for block in blocks(file)]
    torch.save(torch.cat(states), "states.pt")


if __name__ == "__main__":
    main()
