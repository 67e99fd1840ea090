"""Random-walk Metropolis for a regional mortality model (n ~ 1200 districts)."""
import numpy as np


class Target:
    """log p(theta) up to a constant."""

    def log_prob(self, theta):
        return self.log_prior(theta) + self.log_lik(theta)

    def log_prior(self, theta):
        raise NotImplementedError

    def log_lik(self, theta):
        raise NotImplementedError


class SpatialPoisson(Target):
    def __init__(self, deaths, exposure, coords, length=80.0, var=0.3):
        self.deaths = deaths
        self.exposure = exposure
        d2 = ((coords[:, None] - coords[None]) ** 2).sum(-1)
        self.cov = var * np.exp(-0.5 * d2 / length**2) + 1e-4 * np.eye(len(coords))

    def log_prior(self, theta):
        prec = np.linalg.inv(self.cov)  # finding: loop-invariant-op
        _, logdet = np.linalg.slogdet(self.cov)  # finding: loop-invariant-op
        r = theta - theta.mean()
        return -0.5 * (r @ prec @ r + logdet)

    def log_lik(self, theta):
        eta = theta + np.log(self.exposure)
        return np.sum(self.deaths * eta - np.exp(eta))


class ScaledPoisson(SpatialPoisson):
    """The nugget is among the parameters: the covariance moves with it."""

    def log_prior(self, theta):
        r, nugget = theta[:-1], np.exp(theta[-1])
        chol = np.linalg.cholesky(self.cov + np.diag(np.full(r.size, nugget)))
        w = np.linalg.solve(chol, r)
        return -0.5 * w @ w - np.log(np.diag(chol)).sum()

    def log_lik(self, theta):
        return super().log_lik(theta[:-1])


class Chain:
    def __init__(self, target, start, rng, width=0.01):
        self.target = target
        self.x = np.array(start, float)
        self.lp = target.log_prob(self.x)
        self.rng = rng
        self.width = width
        self.accepted = 0

    def step(self):
        prop = self.x + self.width * self.rng.standard_normal(self.x.size)
        lp = self.target.log_prob(prop)
        if np.log(self.rng.uniform()) < lp - self.lp:
            self.x, self.lp = prop, lp
            self.accepted += 1

    def draws(self, n, thin=10):
        for i in range(n * thin):
            self.step()
            if i % thin == 0:
                yield self.x.copy()


def adapt(chain, rounds=20, per_round=200):
    """Burn-in; the proposal width changes from round to round."""
    for _ in range(rounds):
        before = chain.accepted
        for _ in range(per_round):
            chain.step()  # finding: loop-invariant-op
        rate = (chain.accepted - before) / per_round
        chain.width *= np.exp(rate - 0.234)


def summarise(draws):
    draws = np.asarray(draws)
    lo, hi = np.quantile(draws, [0.05, 0.95], axis=0)
    return draws.mean(0), lo, hi


def main(path="districts.npz", seed=3, scaled=False):
    z = np.load(path)
    rng = np.random.default_rng(seed)
    kind = ScaledPoisson if scaled else SpatialPoisson
    target = kind(z["deaths"], z["exposure"], z["coords"])
    start = np.log((z["deaths"] + 0.5) / z["exposure"])
    if scaled:
        start = np.append(start, -3.0)
    chain = Chain(target, start, rng)
    adapt(chain)
    mean, lo, hi = summarise(list(chain.draws(2000)))
    np.savez("posterior.npz", mean=mean, lo=lo, hi=hi)


if __name__ == "__main__":
    main()
