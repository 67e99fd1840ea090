from .pipeline import build
from .registry import TRANSFORMS, register

__all__ = ["TRANSFORMS", "build", "register"]
