import torch


def add_self_loops(edge_index, n):
    loops = torch.arange(n, device=edge_index.device)
    return torch.cat([edge_index, torch.stack([loops, loops])], dim=1)


def gcn_norm(edge_index, n):
    """Symmetric normalisation, returned as a sparse CSR matrix."""
    edge_index = add_self_loops(edge_index, n)
    row, col = edge_index
    deg = torch.zeros(n, device=row.device).index_add_(0, row, torch.ones(row.numel(), device=row.device))
    inv = deg.clamp(min=1).rsqrt()
    val = inv[row] * inv[col]
    return torch.sparse_coo_tensor(edge_index, val, (n, n)).coalesce().to_sparse_csr()


def drop_edge(edge_index, p):
    keep = torch.rand(edge_index.size(1), device=edge_index.device) > p
    return edge_index[:, keep]


def appnp(adj, h, alpha=0.1, k=10):
    z, back = h, alpha * h
    for _ in range(k):
        z = (1 - alpha) * (adj @ z) + back
    return z
