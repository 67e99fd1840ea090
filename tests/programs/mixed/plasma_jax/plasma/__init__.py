from plasma.fields import Grid, electric
from plasma.fit import fit, make_loss

__all__ = ["Grid", "electric", "fit", "make_loss"]
