import itertools

import torch
import torch.nn.functional as F

from .teacher import Bank, follow, frozen_copy


class MeanTeacher:
    def __init__(self, net, probe, device, decay=0.996, bank=4096):
        self.student = net.to(device)
        self.teacher = frozen_copy(self.student)
        self.probe = probe.to(device)
        self.decay = decay
        self.device = device
        self.bank = Bank(bank, net.feature_dim, device)
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9, nesterov=True)
        self.history = []

    def supervised(self, batch):
        x, y = (t.to(self.device) for t in batch)
        return F.cross_entropy(self.student(x), y)

    def consistency(self, batch):
        weak, strong = (t.to(self.device) for t in batch)
        with torch.no_grad():
            target = self.teacher(weak).softmax(1)
            self.bank.push(F.normalize(self.teacher.features(weak), dim=1))
        return F.mse_loss(self.student(strong).softmax(1), target)

    def spread(self):
        """How evenly the bank fills the sphere."""
        return torch.pdist(self.bank.rows[:1024]).mul(-2).exp().mean().log()

    @torch.no_grad()
    def drift(self):
        """Do teacher and student still agree on some fixed pictures? Both change each step."""
        gap = self.teacher(self.probe) - self.student(self.probe)
        return gap.abs().mean()

    def run(self, labeled, unlabeled, steps, weight):
        pairs = zip(itertools.cycle(labeled), itertools.cycle(unlabeled))
        for step, (known, unknown) in enumerate(itertools.islice(pairs, steps)):
            ramp = weight * min(1.0, step / (0.4 * steps))
            loss = self.supervised(known) + ramp * self.consistency(unknown)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            follow(self.teacher, self.student, self.decay)
            self.history.append(self.drift())
            if step % 1000 == 999:
                recent = torch.stack(self.history[-1000:]).mean().item()
                print(f"{step + 1}: drift {recent:.4f} spread {self.spread().item():.3f} bank {self.bank.gram().mean().item():.4f}")
