import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    model_dir: str = os.environ.get("STYLE_MODEL", "/srv/models/style")
    max_side: int = 512
    port: int = 8080


SETTINGS = Settings()
