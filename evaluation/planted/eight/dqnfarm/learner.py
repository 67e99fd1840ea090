import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F

from comm import average_gradients, gather_reports
from env import ACTIONS, Orchard
from net import QNet, Target
from replay import Replay


def as_input(obs):
    return torch.from_numpy(obs)


class Learner:
    def __init__(self, rank, outdir, envs=8):
        torch.manual_seed(0)
        self.rank = rank
        self.outdir = outdir
        self.net = QNet()
        self.target = Target(self.net)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.replay = Replay(seed=rank)
        self.rng = np.random.default_rng(100 + rank)
        self.envs = [Orchard(1000 * rank + i) for i in range(envs)]
        self.obs = [env.reset() for env in self.envs]
        self.finished = []
        self.returns = []

    @torch.no_grad()
    def choose(self, observations, noise):
        actions = []
        for obs in observations:
            greedy = int(self.net(as_input(obs)[None]).argmax())
            actions.append(int(self.rng.integers(ACTIONS)) if self.rng.random() < noise else greedy)
        return actions

    def collect(self, noise):
        for i, action in enumerate(self.choose(self.obs, noise)):
            after, gain, done = self.envs[i].step(action)
            self.replay.add(self.obs[i], action, gain, after, done)
            if done:
                self.finished.append(self.envs[i].total)
                after = self.envs[i].reset()
            self.obs[i] = after

    def learn(self, count=32):
        index, obs, action, gain, after, done = self.replay.sample(count)
        with torch.no_grad():
            best = self.net(after).argmax(-1, keepdim=True)
            goal = gain + 0.97 * (1 - done) * self.target.net(after).gather(1, best)[:, 0]
        guess = self.net(obs).gather(1, action[:, None])[:, 0]
        loss = F.smooth_l1_loss(guess, goal)
        self.opt.zero_grad()
        loss.backward()
        average_gradients(self.net)
        self.opt.step()
        self.target.follow(self.net)
        self.replay.update(index, (guess - goal).detach())
        return loss.detach()

    def report(self, iteration):
        self.returns.extend(gather_reports(self.finished))
        self.finished = []
        dist.barrier()

    def play(self, seeds):
        envs = [Orchard(seed) for seed in seeds]
        obs = [env.reset() for env in envs]
        live = list(range(len(envs)))
        while live:
            for i, action in zip(list(live), self.choose([obs[i] for i in live], 0.05)):
                obs[i], _, done = envs[i].step(action)
                if done:
                    live.remove(i)
        return [env.total for env in envs]

    def evaluate(self, episodes=12):
        seeds = range(5000, 5000 + episodes)
        score = [0.0]
        if self.rank == 0:
            score = [float(np.mean(self.play(seeds)))]
        dist.broadcast_object_list(score, src=0)
        return score[0]

    def save(self, iteration):
        state = {"net": self.net.state_dict(), "opt": self.opt.state_dict(), "replay": self.replay, "iteration": iteration}
        torch.save(state, os.path.join(self.outdir, f"rank{self.rank}.pt"))
