# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "torch==2.6.0+cpu",
#     "torchaudio==2.6.0+cpu",
#     "transformers>=4.48,<5",
#     "soundfile",
#     "tqdm",
# ]
#
# [[tool.uv.index]]
# name = "pytorch"
# url = "https://download.pytorch.org/whl/cpu"
#
# [tool.uv.sources]
# torch = { index = "pytorch" }
# torchaudio = { index = "pytorch" }
# ///
"""Transcribe a folder of call recordings with Whisper on the GPU node."""
import argparse
import json
from pathlib import Path

import torch
import torchaudio
from tqdm import tqdm
from transformers import WhisperForConditionalGeneration, WhisperProcessor

RATE = 16_000


def device_and_dtype():
    if torch.cuda.is_available():
        return torch.device("cuda"), torch.float16
    return torch.device("cpu"), torch.float32


class Transcriber:
    def __init__(self, name, language):
        self.device, self.dtype = device_and_dtype()
        self.processor = WhisperProcessor.from_pretrained(name)
        self.model = WhisperForConditionalGeneration.from_pretrained(name, torch_dtype=self.dtype)
        self.model.to(self.device).eval()
        self.language = language

    @torch.inference_mode()
    def __call__(self, waves):
        feats = self.processor(waves, sampling_rate=RATE, return_tensors="pt").input_features
        feats = feats.to(self.device, self.dtype)
        ids = self.model.generate(feats, language=self.language, task="transcribe", num_beams=2)
        return self.processor.batch_decode(ids, skip_special_tokens=True)


def segments(path, seconds=28):
    wave, rate = torchaudio.load(path)
    wave = torchaudio.functional.resample(wave.mean(0), rate, RATE)
    return [w.numpy() for w in wave.split(seconds * RATE) if len(w) > RATE // 2]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder", type=Path)
    p.add_argument("--model", default="openai/whisper-large-v3")
    p.add_argument("--language", default="german")
    p.add_argument("--batch-size", type=int, default=24)
    args = p.parse_args()
    run = Transcriber(args.model, args.language)
    for path in tqdm(sorted(args.folder.glob("*.wav"))):
        parts = segments(path)
        text = []
        for i in range(0, len(parts), args.batch_size):
            text += run(parts[i : i + args.batch_size])
        path.with_suffix(".json").write_text(json.dumps({"file": path.name, "text": " ".join(text)}))


if __name__ == "__main__":
    main()
