import base64
import io

import numpy as np
from PIL import Image


def decode(payload, max_side):
    raw = base64.b64decode(payload)
    image = Image.open(io.BytesIO(raw)).convert("RGB")
    image.thumbnail((max_side, max_side))
    return np.asarray(image, dtype="float32")[None] / 255.0


def encode(array):
    array = np.clip(array[0] * 255.0, 0, 255).astype("uint8")
    out = io.BytesIO()
    Image.fromarray(array).save(out, format="JPEG", quality=90)
    return base64.b64encode(out.getvalue()).decode("ascii")
