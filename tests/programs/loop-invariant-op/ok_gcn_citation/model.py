import torch.nn.functional as F
from torch import nn

from layers import GraphConv, normalize


class GCN(nn.Module):
    def __init__(self, inputs, hidden, classes, dropout=0.5):
        super().__init__()
        self.first = GraphConv(inputs, hidden)
        self.second = GraphConv(hidden, classes)
        self.dropout = dropout

    def forward(self, x, adj):
        adj = normalize(adj)
        x = F.dropout(x, self.dropout, self.training)
        x = F.relu(self.first(x, adj))
        x = F.dropout(x, self.dropout, self.training)
        return self.second(x, adj)
