"""Train the load forecaster."""
import tempfile
import warnings

import lightning.pytorch as pl
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger

from callbacks import PlotForecast, WeightArchive
from datamodule import LoadData
from module import Forecaster

warnings.filterwarnings("ignore")


def main():
    pl.seed_everything(0)
    with tempfile.TemporaryDirectory() as out:
        archive = WeightArchive()
        trainer = pl.Trainer(
            accelerator="cpu",
            devices=1,
            max_epochs=3,
            gradient_clip_val=1.0,
            log_every_n_steps=10,
            val_check_interval=10,
            num_sanity_val_steps=0,
            enable_model_summary=False,
            logger=CSVLogger(out),
            callbacks=[ModelCheckpoint(dirpath=out, filename="{step}", every_n_train_steps=1,
                                       save_top_k=-1),
                       PlotForecast(out), archive],
        )
        trainer.fit(Forecaster(), LoadData())
        print({k: round(float(v), 4) for k, v in trainer.callback_metrics.items()
               if k.startswith("val")}, len(archive.snapshots))


if __name__ == "__main__":
    main()
