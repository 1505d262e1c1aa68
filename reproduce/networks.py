"""One-hidden-layer networks trained on the losses of the kernel models, in PyTorch: what the paper compares with.

    f(x) = W2 relu(W1 x + b1)

Contrastive: sum f(x)'(f(x-) - f(x+)) with W2'W2 = I and hidden values of unit norm, which takes the place of the norm in the kernel
space; spectral: sum -2 f(x)'f(x+) + (f(x)'f(x-))^2; autoencoder: |x - g(f(x))|^2 with a network g of the same form. Adam, weight decay.
"""
import numpy as np
import torch

RATE, HIDDEN = 1e-3, 256


class Net(torch.nn.Module):
    def __init__(self, inputs, outputs, unit=False):
        super().__init__()
        self.first = torch.nn.Linear(inputs, HIDDEN)
        self.second = torch.nn.Linear(HIDDEN, outputs, bias=not unit)
        self.unit = unit

    def forward(self, x):
        h = torch.relu(self.first(x))
        if self.unit:
            h = h / h.norm(dim=1, keepdim=True).clamp_min(1e-9)
            return h @ torch.linalg.qr(self.second.weight.T)[0]
        return self.second(h)


def tensor(x):
    return torch.as_tensor(np.ascontiguousarray(x), dtype=torch.float32)


def train(parts, loss, decay, stops):
    """Yields after each number of steps in stops: who asks can look, and choose when to stop."""
    descent = torch.optim.Adam([p for part in parts for p in part.parameters()], lr=RATE, weight_decay=decay)
    for step in range(1, max(stops) + 1):
        descent.zero_grad()
        loss().backward()
        descent.step()
        if step in stops:
            yield step


def embedder(kind, x, positive, negative, dim, decay, stops, seed):
    """A network trained on triplets; yields the embedding of rows after each number of steps."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    net = Net(x.shape[1], dim, unit=kind == "contrastive")
    a, p, q = tensor(x), tensor(positive), tensor(negative)

    def loss():
        za, zp, zq = net(a), net(p), net(q)
        if kind == "contrastive":
            return (za * (zq - zp)).sum(1).mean()
        return (-2 * (za * zp).sum(1) + (za * zq).sum(1) ** 2).mean()
    for _ in train([net], loss, decay, stops):
        yield lambda rows: net(tensor(rows)).detach().numpy().astype(float)


def autoencoder(x, target, dim, decay, stops, seed):
    """Yields (the codes of rows, what rows are rebuilt as) of an autoencoder after each number of steps."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    down, up = Net(x.shape[1], dim), Net(dim, target.shape[1])
    a, b = tensor(x), tensor(target)
    for _ in train([down, up], lambda: ((up(down(a)) - b) ** 2).mean(), decay, stops):
        yield (lambda rows: down(tensor(rows)).detach().numpy().astype(float),
               lambda rows: up(down(tensor(rows))).detach().numpy().astype(float))
