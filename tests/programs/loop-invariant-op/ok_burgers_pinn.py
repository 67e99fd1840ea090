"""Physics-informed network for Burgers' equation (course project)."""
import numpy as np
import torch
import torch.nn as nn
from scipy.io import loadmat

NU = 0.01 / np.pi
device = "cuda" if torch.cuda.is_available() else "cpu"


class MLP(nn.Module):
    def __init__(self, layers):
        super().__init__()
        mods = []
        for a, b in zip(layers[:-2], layers[1:-1]):
            mods += [nn.Linear(a, b), nn.Tanh()]
        mods.append(nn.Linear(layers[-2], layers[-1]))
        self.net = nn.Sequential(*mods)

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=1))


def residual(model, x, t):
    u = model(x, t)
    ones = torch.ones_like(u)
    u_x = torch.autograd.grad(u, x, ones, create_graph=True)[0]
    u_t = torch.autograd.grad(u, t, ones, create_graph=True)[0]
    u_xx = torch.autograd.grad(u_x, x, ones, create_graph=True)[0]
    return u_t + u * u_x - NU * u_xx


def load_data(path, n_u=100):
    data = loadmat(path)
    t = data["t"].flatten()
    x = data["x"].flatten()
    exact = np.real(data["usol"]).T
    xx, tt = np.meshgrid(x, t)
    idx = np.random.choice(exact.size, n_u, replace=False)
    return (xx.flatten()[idx][:, None], tt.flatten()[idx][:, None], exact.flatten()[idx][:, None],
            xx.flatten()[:, None], tt.flatten()[:, None])


def train(model, data, epochs=20000):
    x_u, t_u, u, x_f, t_f = data
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        optimizer.zero_grad()
        x_u_t = torch.tensor(x_u, dtype=torch.float32).to(device)
        t_u_t = torch.tensor(t_u, dtype=torch.float32).to(device)
        u_t = torch.tensor(u, dtype=torch.float32).to(device)
        x_f = torch.tensor(x_f, dtype=torch.float32, requires_grad=True).to(device)
        t_f = torch.tensor(t_f, dtype=torch.float32, requires_grad=True).to(device)

        loss_u = torch.mean((model(x_u_t, t_u_t) - u_t) ** 2)
        loss_f = torch.mean(residual(model, x_f, t_f) ** 2)
        loss = loss_u + loss_f
        loss.backward()
        optimizer.step()
        if epoch % 500 == 0:
            print(f"{epoch:6d} data {loss_u.item():.3e} pde {loss_f.item():.3e}")
    return model


if __name__ == "__main__":
    net = MLP([2] + [20] * 8 + [1]).to(device)
    train(net, load_data("burgers_shock.mat"))
    torch.save(net.state_dict(), "burgers.pt")
