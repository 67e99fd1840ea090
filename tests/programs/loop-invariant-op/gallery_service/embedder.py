import torch
import torch.nn.functional as F
import torchvision
from torchvision import transforms


class Embedder:
    def __init__(self, weights, device):
        net = torchvision.models.resnet50()
        net.fc = torch.nn.Linear(2048, 256)
        net.load_state_dict(torch.load(weights, map_location="cpu"))
        self.net = net.to(device).eval()
        self.device = device
        self.transform = transforms.Compose(
            [
                transforms.Resize(256),
                transforms.CenterCrop(224),
                transforms.ToTensor(),
                transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
            ]
        )

    @torch.no_grad()
    def embed(self, batch):
        return F.normalize(self.net(batch.to(self.device)), dim=1)
