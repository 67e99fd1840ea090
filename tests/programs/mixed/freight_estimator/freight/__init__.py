from freight import inputs, model
from freight.inputs import make_input_fn

__all__ = ["inputs", "make_input_fn", "model"]
