import csv
import pathlib

from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Crops(Dataset):
    """Crops of shelf pictures with the product they show."""

    def __init__(self, folder, processor):
        self.folder = pathlib.Path(folder)
        with open(self.folder / "crops.csv") as handle:
            self.rows = list(csv.DictReader(handle))
        self.names = sorted({row["product"] for row in self.rows})
        self.processor = processor

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        image = Image.open(self.folder / row["file"]).convert("RGB")
        pixels = self.processor(images=image, return_tensors="pt")["pixel_values"][0]
        return pixels, self.names.index(row["product"])


def loader(folder, processor, batch_size, workers=4):
    data = Crops(folder, processor)
    return data.names, DataLoader(data, batch_size=batch_size, num_workers=workers)
