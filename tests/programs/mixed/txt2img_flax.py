# requires: jax==0.4.20 flax==0.7.5
import argparse
import functools
import pickle

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np


class TextTower(nn.Module):
    vocab: int = 32000
    dim: int = 768
    depth: int = 12

    @nn.compact
    def __call__(self, tok):
        x = nn.Embed(self.vocab, self.dim)(tok)
        x = x + self.param("pos", nn.initializers.normal(0.02), (tok.shape[1], self.dim))
        for _ in range(self.depth):
            x = x + nn.SelfAttention(12)(nn.LayerNorm()(x))
            h = nn.gelu(nn.Dense(4 * self.dim)(nn.LayerNorm()(x)))
            x = x + nn.Dense(self.dim)(h)
        return nn.LayerNorm()(x)


class Denoiser(nn.Module):
    ch: int = 128

    @nn.compact
    def __call__(self, x, t, ctx, train: bool):
        emb = nn.Dense(self.ch)(jnp.concatenate([jnp.sin(t[:, None] * 2 ** jnp.arange(8)),
                                                 jnp.cos(t[:, None] * 2 ** jnp.arange(8))], -1))
        h = nn.Conv(self.ch, (3, 3))(x)
        for _ in range(4):
            r = nn.Conv(self.ch, (3, 3))(nn.swish(nn.GroupNorm(8)(h)))
            r = r + emb[:, None, None]
            b, hh, ww, c = r.shape
            q = r.reshape(b, hh * ww, c)
            q = q + nn.MultiHeadDotProductAttention(8)(q, ctx)
            h = h + nn.Dropout(0.1)(q.reshape(r.shape), deterministic=not train)
        return nn.Conv(x.shape[-1], (3, 3))(h)


class Pipeline:
    def __init__(self, weights):
        with open(weights, "rb") as fh:
            self.p = pickle.load(fh)
        self.text, self.unet = TextTower(), Denoiser()

    def condition(self, tokens):
        return self.text.apply({"params": self.p["text"]}, tokens)  # finding: eager-loop

    def eps(self, x, t, tokens, scale):
        net = jax.jit(functools.partial(self.unet.apply, train=False))  # finding: compiled-per-call
        both = self.condition(jnp.concatenate([tokens, jnp.zeros_like(tokens)]))  # finding: loop-invariant-op
        tt = jnp.full((2 * x.shape[0],), t)
        out = net({"params": self.p["unet"]}, jnp.concatenate([x, x]), tt, both)
        c, u = jnp.split(out, 2)
        return u + scale * (c - u)


def alphas(n):
    b = np.linspace(1e-4, 0.02, 1000)
    a = np.cumprod(1 - b)
    idx = np.linspace(999, 0, n).astype(int)
    return a[idx], idx / 1000.0


def ddim(pipe, tokens, key, steps=50, size=64, scale=7.5):
    abar, ts = alphas(steps)
    x = jax.random.normal(key, (tokens.shape[0], size, size, 4))
    for i, (a, t) in enumerate(zip(abar, ts)):
        e = pipe.eps(x, t, tokens, scale)
        x0 = (x - np.sqrt(1 - a) * e) / np.sqrt(a)
        nxt = abar[i + 1] if i + 1 < steps else 1.0
        x = np.sqrt(nxt) * x0 + np.sqrt(1 - nxt) * e
    return x


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("weights")
    ap.add_argument("tokens")
    ap.add_argument("--seed", type=int, default=0)
    ns = ap.parse_args()
    tok = jnp.asarray(np.load(ns.tokens), jnp.int32)
    img = ddim(Pipeline(ns.weights), tok, jax.random.PRNGKey(ns.seed))
    np.save("latents.npy", np.asarray(img))


if __name__ == "__main__":
    main()
