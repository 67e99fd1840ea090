"""Aerial plots of a forest, one file a plot, and the biomass of each."""

import numpy as np
import torch
from torch.utils.data import TensorDataset


def load_plots(folder):
    plots, biomass = [], []
    for path in sorted(folder.glob("plot*.npz")):
        with np.load(path) as content:
            plots.append(torch.from_numpy(content["bands"].astype(np.float32)))
            biomass.append(float(content["biomass"]))
    everything = torch.stack(plots)  # finding
    return TensorDataset(everything, torch.tensor(biomass))
