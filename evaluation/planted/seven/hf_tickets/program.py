"""Fine-tune a small BERT to route support tickets."""
import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification, TrainingArguments, set_seed

from textproc import LABELS, TicketDataset, build_tokenizer, make_tickets, make_vocab
from tracking import MemoryCallback, TrackerCallback, start_collector
from trainer import TicketTrainer, compute_metrics


def build_model(tok):
    cfg = BertConfig(vocab_size=len(tok), hidden_size=64, num_hidden_layers=4,
                     num_attention_heads=4, intermediate_size=128, num_labels=LABELS,
                     max_position_embeddings=256, pad_token_id=tok.pad_token_id)
    return BertForSequenceClassification(cfg)


def main():
    set_seed(0)
    words = make_vocab()
    tok = build_tokenizer(words)
    train = TicketDataset(make_tickets(words, 320, 1), tok)
    val = TicketDataset(make_tickets(words, 400, 2), tok)
    model = build_model(tok)
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(
            output_dir=out,
            num_train_epochs=2,
            per_device_train_batch_size=16,
            per_device_eval_batch_size=32,
            learning_rate=5e-4,
            gradient_checkpointing=True,
            logging_steps=10,
            eval_strategy="steps",
            eval_steps=20,
            save_strategy="steps",
            save_steps=5,
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
        )
        trainer = TicketTrainer(
            model=model, args=args, train_dataset=train, eval_dataset=val,
            compute_metrics=compute_metrics,
            callbacks=[TrackerCallback(start_collector(), f"{out}/weights.json"),
                       MemoryCallback()],
        )
        trainer.train()
        print(trainer.evaluate())


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
