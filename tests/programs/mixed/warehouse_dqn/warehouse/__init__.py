from .agents import DoubleDQN, DQN
from .replay import Replay

__all__ = ["DQN", "DoubleDQN", "Replay"]
