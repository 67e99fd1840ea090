"""ONNX Runtime beside PyTorch; both loaded once."""
import sys

import numpy as np
import onnxruntime
import torch


def main(path, images):
    session = onnxruntime.InferenceSession(path)
    name = session.get_inputs()[0].name
    model = torch.jit.load(path.replace(".onnx", ".pt")).eval()
    for image in images:
        pixels = np.load(image)[None].astype(np.float32)
        (scores,) = session.run(None, {name: pixels})
        with torch.inference_mode():
            other = model(torch.from_numpy(pixels)).numpy()
        print(image, np.abs(scores - other).max())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
