import logging

from fastapi import FastAPI, File, HTTPException, UploadFile

from settings import Settings
from tagger import AmenityTagger

log = logging.getLogger("tagger")
app = FastAPI(title="amenity tagger")
tagger = AmenityTagger(Settings())


@app.get("/health")
def health():
    return {"ok": True}


@app.post("/tag")
def tag(photo: UploadFile = File(...)):
    raw = photo.file.read()
    if not raw:
        raise HTTPException(400, "empty upload")
    tags = tagger.tag(raw)
    log.info("%s -> %s", photo.filename, tags)
    return {"tags": tags}
