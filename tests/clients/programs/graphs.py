"""Graph networks of torch_geometric trained for two epochs on random graphs."""

import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, SAGEConv, global_mean_pool
from torch_geometric.utils import to_undirected


class Network(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.first = layer(5, 8)
        self.second = layer(8, 8)
        self.last = torch.nn.Linear(8, 2)

    def forward(self, graphs):
        x = self.first(graphs.x, graphs.edge_index).relu()
        x = self.second(x, graphs.edge_index).relu()
        return self.last(global_mean_pool(x, graphs.batch))


def random_graph(k):
    count = 6 + k % 3
    edges = to_undirected(torch.randint(0, count, (2, 14)))
    return Data(x=torch.randn(count, 5), edge_index=edges, y=torch.tensor([k % 2]))


torch.manual_seed(0)
graphs = [random_graph(k) for k in range(12)]
layers = {"gcn": GCNConv, "gat": lambda i, o: GATConv(i, o // 2, heads=2), "sage": SAGEConv}
for name, layer in layers.items():
    torch.manual_seed(1)
    model = Network(layer)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    losses = []
    for _ in range(2):
        for batch in DataLoader(graphs, 4, shuffle=True):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(batch), batch.y)
            loss.backward()
            optimizer.step()
            losses.append(f"{loss.item():.5f}")
    print(f"{name}={' '.join(losses)}")
