from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import AutoTokenizer, PreTrainedTokenizerFast

SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]


def train_tokenizer(rows, names, folder):
    words = sorted({w for pair in rows for text in pair for w in text.split()} | set(names))
    vocab = {w: i for i, w in enumerate(SPECIAL + words)}
    core = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    core.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )
    tokenizer.save_pretrained(folder)
    return folder


def get_tokenizer(folder):
    return AutoTokenizer.from_pretrained(folder)


def encode(row, folder, settings):
    tokenizer = get_tokenizer(folder)
    source = tokenizer(row["note"], truncation=True, padding="max_length", max_length=settings.max_source)
    target = tokenizer(row["target"], truncation=True, padding="max_length", max_length=settings.max_target)
    return {
        "input_ids": source["input_ids"],
        "attention_mask": source["attention_mask"],
        "labels": [t if t != tokenizer.pad_token_id else -100 for t in target["input_ids"]],
    }


def encode_all(dataset, folder, settings):
    return dataset.map(
        encode,
        fn_kwargs={"folder": folder, "settings": settings},
        remove_columns=dataset.column_names,
        load_from_cache_file=False,
    )
