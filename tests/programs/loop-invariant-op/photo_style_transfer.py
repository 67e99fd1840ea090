# Neural style transfer, Gatys et al., PyTorch. Homework 3.
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from PIL import Image
from torchvision import models, transforms
from torchvision.utils import save_image

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

STYLE_LAYERS = ["0", "5", "10", "19", "28"]
CONTENT_LAYER = "21"

loader = transforms.Compose([
    transforms.Resize((512, 512)),
    transforms.ToTensor(),
    transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
])


def load(path):
    image = Image.open(path).convert("RGB")
    return loader(image).unsqueeze(0).to(device)


class VGG(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = models.vgg19(pretrained=True).features[:29]
        for p in self.model.parameters():
            p.requires_grad = False

    def forward(self, x):
        features = {}
        for name, layer in self.model._modules.items():
            x = layer(x)
            if name in STYLE_LAYERS or name == CONTENT_LAYER:
                features[name] = x
        return features


def gram(t):
    b, c, h, w = t.shape
    t = t.view(b * c, h * w)
    return torch.mm(t, t.t()) / (c * h * w)


def total_variation(img):
    return (img[..., 1:] - img[..., :-1]).abs().mean() + (img[..., 1:, :] - img[..., :-1, :]).abs().mean()


def main():
    content = load("images/campus.jpg")
    style = load("images/hokusai.jpg")
    generated = content.clone().requires_grad_(True)

    vgg = VGG().to(device).eval()
    opt = optim.Adam([generated], lr=0.01)
    alpha, beta, gamma = 1.0, 1e5, 1e-4

    for step in range(6000):
        gen_features = vgg(generated)
        content_features = vgg(content)  # note: loop-invariant-op
        style_features = vgg(style)  # note: loop-invariant-op

        content_loss = F.mse_loss(gen_features[CONTENT_LAYER], content_features[CONTENT_LAYER])
        style_loss = 0
        for layer in STYLE_LAYERS:
            g = gram(gen_features[layer])
            a = gram(style_features[layer])
            style_loss = style_loss + F.mse_loss(g, a)

        loss = alpha * content_loss + beta * style_loss + gamma * total_variation(generated)
        opt.zero_grad()
        loss.backward()
        opt.step()

        if step % 200 == 0:
            print(step, loss.item())
            save_image(generated, "generated_%05d.png" % step)


if __name__ == "__main__":
    main()
