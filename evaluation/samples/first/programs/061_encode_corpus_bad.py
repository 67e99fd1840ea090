"""Encode a text corpus into dense vectors with a small Flax encoder."""
import argparse
import json
from pathlib import Path

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from flax import serialization
from tokenizers import Tokenizer


class Block(nn.Module):
    dim: int
    heads: int

    @nn.compact
    def __call__(self, x, mask):
        h = nn.LayerNorm()(x)
        h = nn.MultiHeadDotProductAttention(num_heads=self.heads)(h, mask=mask)
        x = x + h
        h = nn.LayerNorm()(x)
        return x + nn.Dense(self.dim)(nn.gelu(nn.Dense(4 * self.dim)(h)))


class TextTower(nn.Module):
    vocab: int = 32000
    dim: int = 384
    depth: int = 6

    @nn.compact
    def __call__(self, ids, valid):
        x = nn.Embed(self.vocab, self.dim)(ids)
        mask = nn.make_attention_mask(valid, valid)
        for _ in range(self.depth):
            x = Block(self.dim, 6)(x, mask)
        w = valid[..., None].astype(x.dtype)
        return (x * w).sum(1) / jnp.maximum(w.sum(1), 1.0)


model = TextTower()


@jax.jit
def embed(params, ids, valid):
    out = model.apply({"params": params}, ids, valid)
    return out / jnp.linalg.norm(out, axis=-1, keepdims=True)


def read_texts(path):
    with open(path, encoding="utf-8") as fh:
        return [json.loads(line)["text"] for line in fh]


def collate(rows):
    width = max(len(r) for r in rows)
    ids = np.zeros((len(rows), width), np.int32)
    for i, r in enumerate(rows):
        ids[i, : len(r)] = r
    return ids, ids > 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--corpus", type=Path, required=True)
    p.add_argument("--weights", type=Path, required=True)
    p.add_argument("--tokenizer", default="tokenizer.json")
    p.add_argument("--batch-size", type=int, default=256)
    p.add_argument("--out", type=Path, default=Path("vectors.npy"))
    args = p.parse_args()

    params = serialization.msgpack_restore(args.weights.read_bytes())
    params = jax.device_put(params)
    tok = Tokenizer.from_file(args.tokenizer)
    tok.enable_truncation(512)
    rows = [e.ids for e in tok.encode_batch(read_texts(args.corpus))]

    chunks = []
    for start in range(0, len(rows), args.batch_size):
        ids, valid = collate(rows[start : start + args.batch_size])
        chunks.append(embed(params, ids, valid))
    vectors = np.concatenate(jax.device_get(chunks))
    np.save(args.out, vectors)


if __name__ == "__main__":
    main()
