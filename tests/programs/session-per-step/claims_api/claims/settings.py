import os
from dataclasses import dataclass, field
from typing import Dict


@dataclass(frozen=True)
class ModelSettings:
    export_dir: str
    input_name: str
    output_name: str
    max_len: int = 64


@dataclass
class Settings:
    threads: int = int(os.environ.get("TF_THREADS", "2"))
    models: Dict[str, ModelSettings] = field(
        default_factory=lambda: {
            "severity": ModelSettings("exports/severity/3", "tokens:0", "severity:0"),
            "fraud": ModelSettings("exports/fraud/11", "tokens:0", "prob:0", max_len=128),
        }
    )
