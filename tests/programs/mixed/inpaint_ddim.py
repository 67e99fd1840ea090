"""Text guided inpainting with DDIM; a trimmed copy of our internal demo."""
import argparse
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torchvision.io import read_image, write_png


@dataclass
class Sampling:
    steps: int = 100
    guidance: float = 7.5
    eta: float = 0.0
    latent: int = 64


class TextEncoder(nn.Module):
    def __init__(self, vocab=49408, dim=768, depth=12, length=77):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.zeros(length, dim))
        layer = nn.TransformerEncoderLayer(dim, 12, 4 * dim, activation="gelu", batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, depth)

    def forward(self, ids):
        return self.body(self.tok(ids) + self.pos[: ids.shape[1]])


class Inpainter:
    def __init__(self, unet, vae, text: TextEncoder, tokenizer, device="cuda"):
        self.unet, self.vae, self.text = unet.eval(), vae.eval(), text.eval()
        self.tokenizer = tokenizer
        self.device = device
        betas = torch.linspace(0.00085**0.5, 0.012**0.5, 1000, device=device) ** 2
        self.alphas = torch.cumprod(1 - betas, 0)

    def time_embedding(self, t, dim=320):
        freqs = torch.exp(-math.log(10000) * torch.arange(dim // 2, device=self.device) / (dim // 2))
        ang = t * freqs
        return torch.cat([ang.cos(), ang.sin()])[None]

    def guided_eps(self, latents, t, ids, blank, scale):
        cond = self.text(ids)  # finding: loop-invariant-op
        uncond = self.text(blank)  # finding: loop-invariant-op
        both = torch.cat([latents, latents])
        emb = self.time_embedding(t).expand(both.shape[0], -1)
        e_u, e_c = self.unet(both, emb, torch.cat([uncond, cond])).chunk(2)
        return e_u + scale * (e_c - e_u)

    @torch.inference_mode()
    def __call__(self, prompt, image, mask, cfg: Sampling, seed=0):
        gen = torch.Generator(self.device).manual_seed(seed)
        ids, blank = self.tokenizer([prompt]).to(self.device), self.tokenizer([""]).to(self.device)
        known = self.vae.encode(image) * 0.18215
        latents = torch.randn(known.shape, generator=gen, device=self.device)
        steps = torch.linspace(999, 0, cfg.steps, device=self.device).long()
        for i, t in enumerate(steps):
            keep = 1 - F.interpolate(mask, size=(cfg.latent, cfg.latent), mode="area")
            a_t = self.alphas[t]
            a_p = self.alphas[steps[i + 1]] if i + 1 < len(steps) else torch.ones((), device=self.device)
            eps = self.guided_eps(latents, t, ids, blank, cfg.guidance)
            x0 = (latents - (1 - a_t).sqrt() * eps) / a_t.sqrt()
            sigma = cfg.eta * ((1 - a_p) / (1 - a_t) * (1 - a_t / a_p)).clamp(min=0).sqrt()
            latents = a_p.sqrt() * x0 + (1 - a_p - sigma**2).clamp(min=0).sqrt() * eps
            noise = torch.randn(known.shape, generator=gen, device=self.device)
            noisy = a_p.sqrt() * known + (1 - a_p).sqrt() * noise
            latents = keep * noisy + (1 - keep) * latents
        return self.vae.decode(latents / 0.18215).clamp(-1, 1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("bundle", help="torch.save'd dict with unet, vae, text weights, tokenizer")
    ap.add_argument("image")
    ap.add_argument("mask")
    ap.add_argument("prompt", nargs="+")
    ap.add_argument("--steps", type=int, default=100)
    a = ap.parse_args()
    parts = torch.load(a.bundle, map_location="cuda", weights_only=False)
    text = TextEncoder().cuda()
    text.load_state_dict(parts["text"])
    pipe = Inpainter(parts["unet"], parts["vae"], text, parts["tokenizer"])
    image = read_image(a.image).float().cuda()[None] / 127.5 - 1
    mask = (read_image(a.mask)[:1].float().cuda()[None] > 127).float()
    out = pipe(" ".join(a.prompt), image, mask, Sampling(steps=a.steps))
    write_png(((out[0] + 1) * 127.5).byte().cpu(), "out.png")


if __name__ == "__main__":
    main()
