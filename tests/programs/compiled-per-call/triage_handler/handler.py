"""TorchServe handler of the skin triage model."""
import json
import logging
import os

import torch
from ts.torch_handler.base_handler import BaseHandler

from preprocess import collate, decode
from network import build_network

logger = logging.getLogger(__name__)


class TriageHandler(BaseHandler):
    def __init__(self):
        super().__init__()
        self.model = None
        self.initialized = False

    def initialize(self, context):
        props = context.system_properties
        self.device = torch.device("cuda:%s" % props.get("gpu_id") if torch.cuda.is_available() else "cpu")
        folder = props.get("model_dir")
        self.model = build_network(num_classes=9)
        state = torch.load(os.path.join(folder, "triage.pt"), map_location=self.device)
        self.model.load_state_dict(state)
        self.model.to(self.device).eval()
        with open(os.path.join(folder, "labels.json")) as f:
            self.labels = json.load(f)
        self.initialized = True

    def preprocess(self, data):
        images = [decode(row.get("data") or row.get("body")) for row in data]
        return collate(images).to(self.device)

    @torch.no_grad()
    def inference(self, batch):
        traced = torch.jit.trace(self.model, batch)  # finding: compiled-per-call
        return torch.softmax(traced(batch), dim=1)

    def postprocess(self, probs):
        values, indices = probs.topk(3, dim=1)
        answers = []
        for v, i in zip(values.tolist(), indices.tolist()):
            answers.append({self.labels[k]: round(p, 4) for p, k in zip(v, i)})
        return answers

    def handle(self, data, context):
        batch = self.preprocess(data)
        probs = self.inference(batch)
        return self.postprocess(probs)
