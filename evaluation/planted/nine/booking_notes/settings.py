"""All knobs in one place; ``Settings.training_arguments`` turns them into Trainer arguments."""
from dataclasses import dataclass

from transformers import Seq2SeqTrainingArguments


@dataclass
class Settings:
    n_rows: int = 1500
    n_train: int = 384
    n_eval: int = 64
    n_test: int = 40
    epochs: int = 3
    batch_size: int = 16
    lr: float = 4e-3
    seed: int = 5
    max_source: int = 128
    max_target: int = 64
    max_new_tokens: int = 24
    preview_rows: int = 6
    d_model: int = 64
    layers: int = 2

    def training_arguments(self, out_dir):
        return Seq2SeqTrainingArguments(
            output_dir=str(out_dir),
            num_train_epochs=self.epochs,
            per_device_train_batch_size=self.batch_size,
            per_device_eval_batch_size=self.batch_size,
            learning_rate=self.lr,
            lr_scheduler_type="cosine",
            warmup_steps=8,
            weight_decay=0.01,
            eval_strategy="steps",
            eval_steps=8,
            save_strategy="steps",
            save_steps=4,
            save_total_limit=2,
            gradient_checkpointing=True,
            dataloader_num_workers=2,
            logging_steps=8,
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
            seed=self.seed,
        )
