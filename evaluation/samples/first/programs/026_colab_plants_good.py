# %% [markdown]
# Plant species classifier (Colab, T4)

# %%
import shutil
import zipfile
from pathlib import Path

import timm
import torch
from google.colab import drive
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms as T

drive.mount("/content/drive")
ROOT = Path("/content/drive/MyDrive/projects/plants")
DATA = Path("/content/images")
if not DATA.exists():
    shutil.copy(ROOT / "images.zip", "/content/images.zip")
    with zipfile.ZipFile("/content/images.zip") as z:
        z.extractall(DATA)
EPOCHS = 15
BATCH = 96
device = torch.device("cuda")

# %%
train_tf = T.Compose(
    [T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor(), T.Normalize([0.5] * 3, [0.5] * 3)]
)
valid_tf = T.Compose([T.Resize(256), T.CenterCrop(224), T.ToTensor(), T.Normalize([0.5] * 3, [0.5] * 3)])

train_ds = datasets.ImageFolder(str(DATA / "train"), train_tf)
valid_ds = datasets.ImageFolder(str(DATA / "valid"), valid_tf)
common = dict(batch_size=BATCH, num_workers=2, pin_memory=True, persistent_workers=True)
train_dl = DataLoader(train_ds, shuffle=True, drop_last=True, **common)
valid_dl = DataLoader(valid_ds, **common)
print(len(train_ds), len(valid_ds), len(train_ds.classes))

# %%
model = timm.create_model("efficientnet_b2", pretrained=True, num_classes=len(train_ds.classes))
model = model.to(device, memory_format=torch.channels_last)
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-4, weight_decay=0.02, fused=True)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-4, total_steps=EPOCHS * len(train_dl))
scaler = torch.amp.GradScaler("cuda")
criterion = nn.CrossEntropyLoss(label_smoothing=0.05)


# %%
@torch.inference_mode()
def evaluate():
    model.eval()
    hits = torch.zeros((), device=device)
    for x, y in valid_dl:
        x = x.to(device, non_blocking=True, memory_format=torch.channels_last)
        with torch.autocast("cuda", dtype=torch.float16):
            hits += (model(x).argmax(1) == y.to(device, non_blocking=True)).sum()
    return hits.item() / len(valid_ds)


# %%
best = 0.0
for epoch in range(EPOCHS):
    model.train()
    for x, y in train_dl:
        x = x.to(device, non_blocking=True, memory_format=torch.channels_last)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(x), y.to(device, non_blocking=True))
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
    acc = evaluate()
    print(f"epoch {epoch}: loss {loss.item():.3f} acc {acc:.3f}")
    if acc > best:
        best = acc
        torch.save(model.state_dict(), ROOT / "efficientnet_b2.pt")
