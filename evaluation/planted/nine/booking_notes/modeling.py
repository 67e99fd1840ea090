import torch
from transformers import BartConfig, BartForConditionalGeneration, GenerationConfig


def build_model(tokenizer, settings):
    config = BartConfig(
        vocab_size=len(tokenizer),
        d_model=settings.d_model,
        encoder_layers=settings.layers,
        decoder_layers=settings.layers,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=4 * settings.d_model,
        decoder_ffn_dim=4 * settings.d_model,
        max_position_embeddings=256,
        dropout=0.0,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.eos_token_id,
        forced_eos_token_id=None,
    )
    model = BartForConditionalGeneration(config)
    model.generation_config = GenerationConfig(
        max_new_tokens=settings.max_new_tokens,
        decoder_start_token_id=tokenizer.eos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        use_cache=False,
        do_sample=False,
        num_beams=1,
    )
    return model


@torch.no_grad()
def write_lines(model, tokenizer, notes):
    """The booking lines for some notes."""
    was_training = model.training
    model.eval()
    lines = []
    for note in notes:
        batch = tokenizer(note, return_tensors="pt")
        out = model.generate(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"])
        lines.append(tokenizer.decode(out[0], skip_special_tokens=True))
    model.train(was_training)
    return lines
