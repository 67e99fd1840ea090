import torch
import torch.nn.functional as F
from config import AudioConfig
from model import Discriminator, Generator
from stft import LogMel, multi_resolution_loss
from torch.utils.data import DataLoader
from wavs import Segments


def main(files, epochs=100, device="cuda"):
    cfg = AudioConfig()
    loader = DataLoader(Segments(files, cfg), batch_size=16, shuffle=True, num_workers=8, pin_memory=True, drop_last=True)
    gen, disc, mel = Generator(cfg).to(device), Discriminator().to(device), LogMel(cfg).to(device)
    opt_g = torch.optim.AdamW(gen.parameters(), 2e-4, betas=(0.8, 0.99))
    opt_d = torch.optim.AdamW(disc.parameters(), 2e-4, betas=(0.8, 0.99))
    for epoch in range(epochs):
        for wave in loader:
            wave = wave.to(device, non_blocking=True)
            cond = mel(wave)
            fake = gen(cond)

            score_real, score_fake = disc(wave), disc(fake.detach())
            loss_d = ((1 - score_real) ** 2).mean() + (score_fake ** 2).mean()
            opt_d.zero_grad(set_to_none=True)
            loss_d.backward()
            opt_d.step()

            # after the step the discriminator is another one, so it is asked again
            loss_g = ((1 - disc(fake)) ** 2).mean() + multi_resolution_loss(fake, wave) + 45 * F.l1_loss(mel(fake), cond)
            opt_g.zero_grad(set_to_none=True)
            loss_g.backward()
            opt_g.step()
        torch.save({"gen": gen.state_dict(), "disc": disc.state_dict()}, f"ckpt_{epoch}.pt")


if __name__ == "__main__":
    import sys
    main(sys.argv[1:])
