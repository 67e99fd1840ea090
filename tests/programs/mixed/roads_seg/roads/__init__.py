from .config import Config
from .loader import SegmentationLoader

__all__ = ["Config", "SegmentationLoader"]
