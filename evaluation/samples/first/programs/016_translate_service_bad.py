"""Translation service behind the help-desk chat."""
import logging
import os
import time
from contextlib import asynccontextmanager

import torch
import uvicorn
from fastapi import FastAPI, Request
from pydantic import BaseModel, Field
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

log = logging.getLogger("translate")


class Job(BaseModel):
    sentences: list[str] = Field(max_length=64)
    source: str = "deu_Latn"
    target: str = "eng_Latn"


class Translator:
    def __init__(self, name: str):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForSeq2SeqLM.from_pretrained(name, torch_dtype=torch.float16)
        self.model.to(self.device).eval()

    @torch.inference_mode()
    def translate(self, sentences, source, target):
        self.tokenizer.src_lang = source
        enc = self.tokenizer(sentences, padding=True, truncation=True, max_length=256, return_tensors="pt")
        out = self.model.generate(
            **enc.to(self.device),
            forced_bos_token_id=self.tokenizer.convert_tokens_to_ids(target),
            max_new_tokens=256,
            num_beams=4,
        )
        return self.tokenizer.batch_decode(out, skip_special_tokens=True)


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.translator = Translator(os.environ.get("MODEL", "facebook/nllb-200-distilled-1.3B"))
    yield


app = FastAPI(lifespan=lifespan)


@app.get("/ready")
async def ready():
    return {"ready": True}


@app.post("/translate")
async def translate(job: Job, request: Request):
    began = time.perf_counter()
    translator = request.app.state.translator
    result = translator.translate(job.sentences, job.source, job.target)
    took = time.perf_counter() - began
    log.info("%d sentences %s->%s in %.2fs", len(job.sentences), job.source, job.target, took)
    return {"translations": result, "seconds": round(took, 3)}


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    uvicorn.run(app, host="0.0.0.0", port=8000)
