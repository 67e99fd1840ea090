from .config import Config
from .data import build
from .models import forecaster

__all__ = ["Config", "build", "forecaster"]
