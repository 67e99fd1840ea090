import json
import sys

import torch
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer


def load(name):
    tokenizer = AutoTokenizer.from_pretrained(name)
    tokenizer.pad_token = tokenizer.eos_token
    return AutoModelForCausalLM.from_pretrained(name).cuda().eval(), tokenizer


class Grader:
    def __init__(self, name):
        self.model, self.tokenizer = load(name)

    @torch.inference_mode()
    def surprise(self, text):
        ids = self.tokenizer(text, return_tensors="pt").input_ids.cuda()
        logits = self.model(ids).logits  # finding: predict-per-item
        return cross_entropy(logits[0, :-1], ids[0, 1:]).item()

    def grade(self, question, answers):
        return min(answers, key=lambda answer: self.surprise(question + " " + answer))

    @torch.inference_mode()
    def grade_all(self, texts):
        scores = []
        for start in range(0, len(texts), 16):
            batch = self.tokenizer(texts[start : start + 16], return_tensors="pt", padding=True).to("cuda")
            logits = self.model(**batch).logits[:, :-1]
            losses = cross_entropy(logits.transpose(1, 2), batch["input_ids"][:, 1:], reduction="none")
            mask = batch["attention_mask"][:, 1:]
            scores += ((losses * mask).sum(1) / mask.sum(1)).tolist()
        return scores

    def rank(self, texts):
        scored = [(self.surprise(text), text) for text in texts]
        return sorted(scored)


def confusion(labels, guesses, size):
    table = torch.zeros(size, size, dtype=torch.long)
    for label, guess in zip(labels.tolist(), guesses.tolist()):
        table[label][guess] += 1  # finding: looped-update
    return table


def main():
    grader = Grader(sys.argv[1])
    rows = [json.loads(line) for line in open(sys.argv[2])]
    print(grader.rank([row["text"] for row in rows])[:10])
    print(grader.grade_all([row["text"] for row in rows])[:10])
    labels = torch.tensor([row["label"] for row in rows])
    guesses = torch.tensor([row["guess"] for row in rows])
    print(confusion(labels, guesses, 4))


if __name__ == "__main__":
    main()
