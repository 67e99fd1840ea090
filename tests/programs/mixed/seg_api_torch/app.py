import io

import denoise
import numpy as np
import torch
from fastapi import Depends, FastAPI, File, UploadFile
from network import Service
from PIL import Image
from pydantic import BaseModel

app = FastAPI()
service = Service("segmenter.pt")


class Options(BaseModel):
    weight: float = 0.1
    gamma: float = 1.0
    fast: bool = False


def picture(file: UploadFile = File(...)):
    image = Image.open(io.BytesIO(file.file.read())).convert("L")
    return np.asarray(image, dtype="float32") / 255.0


@app.post("/segment")
def segment(pixels=Depends(picture), options: Options = Depends()):
    cleaner = denoise.denoise_fast if options.fast else denoise.denoise
    clean = cleaner(pixels, options.weight)
    clean = np.asarray(denoise.contrast(clean, options.gamma))
    labels = service(torch.from_numpy(np.array(clean)))
    return {"labels": labels.tolist()}


@app.post("/thumbnail")
def thumbnail(size: int, pixels=Depends(picture)):
    small = denoise.resampler(size)(pixels)
    return {"pixels": np.asarray(small).tolist()}


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)
