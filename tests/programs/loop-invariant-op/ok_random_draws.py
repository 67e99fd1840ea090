"""A plain GAN; noise is fresh in every step."""
import torch
from torch import nn

LATENT = 100


def noise(count):
    return torch.randn(count, LATENT)


def train(generator, critic, loader, epochs):
    loss_fn = nn.BCEWithLogitsLoss()
    g_opt = torch.optim.Adam(generator.parameters(), 2e-4)
    c_opt = torch.optim.Adam(critic.parameters(), 2e-4)
    for _ in range(epochs):
        for real, _label in loader:
            fake = generator(noise(64))
            real_score, fake_score = critic(real), critic(fake.detach())
            c_loss = loss_fn(real_score, torch.ones_like(real_score))
            c_loss = c_loss + loss_fn(fake_score, torch.zeros_like(fake_score))
            c_opt.zero_grad()
            c_loss.backward()
            c_opt.step()
            score = critic(fake)
            g_loss = loss_fn(score, torch.ones_like(score))
            g_opt.zero_grad()
            g_loss.backward()
            g_opt.step()
