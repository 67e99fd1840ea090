import os

SETTINGS = {
    "port": int(os.environ.get("PORT", 8080)),
    "maxlen": 200,
    "threshold": 0.6,
    "models": {"en": "models/gru_en.h5", "de": "models/gru_de.h5"},
    "vocabs": {"en": "models/en.vocab", "de": "models/de.vocab"},
    "labels": ["toxic", "obscene", "threat", "insult", "hate"],
}
