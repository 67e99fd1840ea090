"""Words by which a text shows what a program uses, where no type tells."""

from __future__ import annotations

ACCELERATOR_WORDS = (
    "cuda",
    "mps",
    "xpu",
    "hpu",
    "jax",
    "Accelerator",
    "Trainer",
    "TrainingArguments",
)
"""Names of devices, and of what moves models and batches to one by itself."""
ACCELERATOR_KINDS = frozenset(("cuda", "mps", "xpu", "hpu"))
"""What the kind of a device is called, where it is no processor: `device.type`."""
HOST_KIND = "cpu"
ITERATION_WRAPPERS = frozenset(
    ("enumerate", "zip", "list", "iter", "reversed", "tqdm", "trange", "track")
)
"""Functions of Python and of progress bars around what a loop really goes over."""
IMPORTS_BY_NAME = (
    "importlib",
    "import_module",
    "__import__",
    "hydra",
    "LightningCLI",
    "jsonargparse",
    "gin",
)
"""What imports a module, or makes an object of a class, that only a text or a file names."""
GROUP_OF_PARAMETERS = "params"
"""The key under which a group of an optimizer has its parameters."""
UNCOMPILED_WORDS = ("run_eagerly", "KERAS_BACKEND", "run_functions_eagerly")
"""What switches off that Keras compiles, or another compiler on."""
GIVES_FLOAT = ("builtins.float", "random.random", "random.uniform", "random.gauss")
GIVES_INTEGER = (
    "builtins.int",
    "builtins.len",
    "builtins.ord",
    "math.ceil",
    "math.comb",
    "math.factorial",
    "math.floor",
    "math.gcd",
    "math.isqrt",
    "math.trunc",
    "random.randint",
)
ONE_OF_ITS_ARGUMENTS = ("builtins.abs", "builtins.max", "builtins.min")
"""Functions of Python by the kind of number that they give; the last gives what it is passed."""
LEFT_TO_PYTHON = ("PIL", "cv2", "networkx", "pandas", "scipy", "sklearn")
NOT_LEFT_TO_PYTHON = ("scipy.special.",)
"""Packages whose functions `torch.compile` leaves to Python, and modules of them that it traces."""
REQUEST_VERBS = ("do_", "get", "post", "put", "delete", "patch", "head", "options", "dispatch")
"""How the names of methods begin that serve a request of that kind."""
TRAINING_SWITCH = "training"
"""The keyword that has a model of Keras behave as in training; left out, it does not."""
FREEZING_ATTRIBUTES = frozenset(("requires_grad", "trainable"))
"""Attributes of weights, layers and models that, set to False, keep them from being trained."""
FREEZING_METHODS = frozenset(("requires_grad_",))
"""Methods that do so where they are passed False, and the opposite for True or nothing."""
EVALUATING_METHODS = {"eval": True, "train": False}
"""Methods that tell a model to evaluate; each by what, passed, or nothing, means so."""
AUGMENTING_WORDS = ("albumentations", "audiomentations", "augly", "imgaug", "kornia", "torchio")
"""Libraries whose use shows that samples are changed at random."""
RECORDS = frozenset(("dataclass", "define", "frozen", "NamedTuple"))
"""What makes classes whose constructor takes the fields that their body lists, by its last name."""
RECORD_FIELDS = frozenset(("field", "Field", "ib"))
"""What says more of a field than its default: of dataclasses, attrs and Pydantic."""
RECORD_COPIERS = ("replace", "_replace", "evolve")
"""What makes a copy of such an instance with other values."""
STATIC_FIELDS = {"static": True, "pytree_node": False}
"""Options of a field, or entries of its `metadata`, by which JAX takes it for no array: what it
holds is compared, and each new value compiled by itself.
"""
