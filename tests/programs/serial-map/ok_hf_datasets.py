# requires: tensorflow==2.4.1
from datasets import load_dataset
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification

checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
raw = load_dataset("imdb")


def tokenize(batch):
    return tokenizer(batch["text"], truncation=True, max_length=256)


tokenized = raw.map(tokenize, batched=True)
renamed = tokenized["train"].map(lambda row: {"labels": row["label"]})
train = renamed.to_tf_dataset(columns=["input_ids", "labels"], shuffle=True, batch_size=16)

model = TFAutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)
model.compile("adam")
model.fit(train, epochs=2)
