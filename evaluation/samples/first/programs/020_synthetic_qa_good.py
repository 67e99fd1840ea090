"""Write synthetic question/answer pairs for a document collection."""
import json
from dataclasses import dataclass, field
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, HfArgumentParser

PROMPT = (
    "Read the passage and write three question/answer pairs as JSON list with the keys "
    "'question' and 'answer'.\n\nPassage:\n{passage}"
)


@dataclass
class Options:
    passages: Path
    output: Path = Path("qa.jsonl")
    model: str = "Qwen/Qwen2.5-7B-Instruct"
    batch_size: int = 16
    max_new_tokens: int = 512
    temperature: float = 0.7
    stop: list[str] = field(default_factory=list)


class Writer:
    def __init__(self, opts: Options):
        self.opts = opts
        self.tok = AutoTokenizer.from_pretrained(opts.model, padding_side="left")
        self.model = AutoModelForCausalLM.from_pretrained(
            opts.model, torch_dtype=torch.bfloat16, device_map="cuda", attn_implementation="sdpa"
        ).eval()
        self.config = GenerationConfig(
            max_new_tokens=opts.max_new_tokens,
            do_sample=True,
            temperature=opts.temperature,
            top_p=0.9,
            pad_token_id=self.tok.pad_token_id,
        )

    def prompts(self, passages):
        chats = [[{"role": "user", "content": PROMPT.format(passage=p)}] for p in passages]
        return self.tok.apply_chat_template(chats, tokenize=False, add_generation_prompt=True)

    @torch.inference_mode()
    def write(self, passages):
        enc = self.tok(self.prompts(passages), padding=True, return_tensors="pt").to(self.model.device)
        out = self.model.generate(**enc, generation_config=self.config)
        new = out[:, enc["input_ids"].shape[1] :]
        return self.tok.batch_decode(new, skip_special_tokens=True)


def parse(text):
    try:
        pairs = json.loads(text[text.index("[") : text.rindex("]") + 1])
    except ValueError:
        return []
    return [p for p in pairs if isinstance(p, dict) and {"question", "answer"} <= p.keys()]


def main():
    (opts,) = HfArgumentParser(Options).parse_args_into_dataclasses()
    rows = [json.loads(line) for line in opts.passages.read_text().splitlines()]
    rows.sort(key=lambda r: len(r["text"]))
    writer = Writer(opts)
    kept = 0
    with opts.output.open("w") as fh:
        for start in range(0, len(rows), opts.batch_size):
            chunk = rows[start : start + opts.batch_size]
            for row, text in zip(chunk, writer.write([r["text"] for r in chunk])):
                for pair in parse(text):
                    fh.write(json.dumps({"doc": row["id"], **pair}) + "\n")
                    kept += 1
    print(f"{kept} pairs from {len(rows)} passages")


if __name__ == "__main__":
    main()
