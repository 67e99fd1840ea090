"""What attributes and methods mean wherever they are found, told by their names alone.

Facts speak of callables by full names. Where the type of a value is unknown, as of most
parameters, only the last name is left: `x.shape` is of an array's shape in every framework.
Names stand here once, for all who have to go by them; `tests/knowledge/members_truth.py`
holds them against the frameworks.
"""

from __future__ import annotations

SHAPE_ATTRIBUTES = frozenset(("device", "dtype", "ndim", "shape", "size"))
"""Attributes of arrays that tell of their shape, type or place, and not of their elements."""
SHAPE_METHODS = frozenset(("dim", "get_shape", "ndimension", "numel", "size"))
"""Methods of arrays that tell the same."""
VIEW_ATTRIBUTES = frozenset(("T", "mT", "real", "imag"))
"""Attributes of arrays that are arrays of the same elements, or of parts of them."""
SPARSE_ATTRIBUTES = frozenset(("values", "indices"))
"""Attributes of sparse arrays that are their elements, and where those lie."""
MODEL_PARTS = frozenset(
    (
        "layers",
        "non_trainable_variables",
        "non_trainable_weights",
        "trainable_variables",
        "trainable_weights",
        "weights",
    )
)
"""Attributes of models, and functions so called, that list what models are made of."""
MODEL_LISTINGS = frozenset(
    (
        "buffers",
        "children",
        "get_weights",
        "global_variables",
        "local_variables",
        "model_variables",
        "modules",
        "named_children",
        "named_modules",
        "named_parameters",
        "parameters",
    )
)
"""Functions and methods, called with nothing, that list the same."""
MAPPING_LISTINGS = frozenset(("items", "iteritems", "iterkeys", "itervalues", "keys", "values"))
"""Methods of mappings that list what is in them."""
VARIABLE_ASSIGNMENTS = frozenset(("assign", "assign_add", "assign_sub"))
"""Methods of TensorFlow's variables, and functions so called, that give them a value."""
INDEXED_UPDATES = frozenset(("add", "divide", "max", "min", "multiply", "set", "subtract"))
"""Methods of `x.at[i]`, for an array of JAX, that give the array with these items changed."""
DRAWINGS = frozenset(
    (
        "add_artist",
        "add_collection3d",
        "add_patch",
        "add_subplot",
        "annotate",
        "bar",
        "contour",
        "fill_between",
        "hist",
        "imshow",
        "plot",
        "plot_surface",
        "savefig",
        "scatter",
        "set_title",
        "subplot",
        "text",
        "title",
    )
)
"""Functions of Matplotlib, and methods of its figures and axes, that add to a picture."""
PANELS = frozenset(("add_subplot", "subplot", "subplot2grid"))
"""Those that add a panel, of which a picture has room for few."""
