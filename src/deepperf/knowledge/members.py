"""What attributes and methods mean wherever they are found, told by their names alone.

Facts speak of callables by full names. Where the type of a value is unknown, as of most
parameters, only the last name is left: `x.shape` is of an array's shape in every framework.
Names stand here once, for all who have to go by them; `tests/knowledge/members_truth.py`
holds them against the frameworks.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MODULE_NAMES: Mapping[str, str] = MappingProxyType(
    {"jnp": "jax.numpy", "np": "numpy", "tf": "tensorflow", "torch": "torch"}
)
"""What a name stands for that is imported from a module of which nothing else is known."""
SHAPE_ATTRIBUTES = frozenset(("device", "dtype", "ndim", "shape", "size"))
"""Attributes of arrays that tell of their shape, type or place, and not of their elements."""
KIND_ATTRIBUTES = frozenset(("device", "dtype"))
"""Those that are the same for all batches of a data set."""
SHAPE_METHODS = frozenset(("dim", "get_shape", "ndimension", "numel", "size"))
"""Methods of arrays that tell the same."""
TENSOR_FLAGS = frozenset(
    "grad_fn is_cpu is_cuda is_leaf is_meta is_sparse itemsize layout nbytes requires_grad".split()  # noqa: SIM905
)
"""Attributes of tensors that tell of how they are kept, and not of their elements."""
ARRAY_MEMBERS = frozenset(("astype", "flatten", "ndim", "reshape", "shape", "unsqueeze"))
"""Attributes and methods that hardly anything but arrays has."""
ARRAY_QUESTIONS = frozenset(("dim", "size"))
"""Methods that only arrays have; other things have attributes of these names."""
FRAME_MEMBERS = frozenset(("columns", "dtypes", "fillna", "groupby", "iloc", "iterrows", "loc"))
"""Attributes and methods that data frames have, and arrays have not."""
FRAME_INDEXERS = frozenset(("at", "iat", "iloc", "ix", "loc"))
"""Attributes of data frames that are indexed to pick a part of them."""
POOL_METHODS = frozenset(("imap", "imap_unordered", "map", "map_async", "starmap", "starmap_async"))
"""Methods of pools and executors that have their first argument called for each element."""
MAY_SHARE = frozenset(
    (
        "as_tensor",
        "asanyarray",
        "asarray",
        "ascontiguousarray",
        "asfortranarray",
        "einsum",
        "frombuffer",
        "from_numpy",
        "nan_to_num",
    )
)
"""Functions that may give the array itself that they are given."""
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
WEIGHT_LISTINGS = frozenset(("named_parameters", "parameters", "state_dict"))
"""Methods of models that list their weights: buffers alone are few."""
MAPPING_LISTINGS = frozenset(("items", "iteritems", "iterkeys", "itervalues", "keys", "values"))
"""Methods of mappings that list what is in them."""
LIST_ADDITIONS = frozenset(("append", "extend", "insert"))
"""Methods of lists that make them longer."""
CONTAINER_ADDITIONS = LIST_ADDITIONS | frozenset(
    ("add", "appendleft", "extendleft", "put", "put_nowait", "setdefault", "update")
)
"""Methods of Python's lists, sets, dicts, deques and queues that put something into them."""
CONTAINER_REMOVALS = frozenset(
    ("clear", "difference_update", "discard", "pop", "popitem", "popleft", "remove")
)
"""Methods of these that take something out."""
ARRAY_CHANGES = frozenset(("fill", "itemset", "partition", "resize", "setflags", "sort"))
"""Methods of arrays that change them in their place."""
REPLAYED = frozenset(
    (
        "abs_",
        "add_",
        "clamp_",
        "clamp_max_",
        "clamp_min_",
        "clip_",
        "copy_",
        "cos_",
        "div_",
        "exp_",
        "fill",
        "fill_",
        "fill_diagonal_",
        "floor_",
        "index_add_",
        "index_copy_",
        "index_fill_",
        "log_",
        "masked_fill_",
        "mul_",
        "neg_",
        "pow_",
        "reciprocal_",
        "round_",
        "rsqrt_",
        "scatter_",
        "scatter_add_",
        "sigmoid_",
        "sin_",
        "sort",
        "sqrt_",
        "square_",
        "sub_",
        "tanh_",
        "tril_",
        "triu_",
        "zero_",
    )
)
"""Methods of arrays that change them in their place, in the same way for the same arguments."""
STATE_CHANGES = frozenset(("load", "load_state_dict", "push", "reverse", "scatter_update", "write"))
"""Methods of models, optimizers, buffers and lists that change what they belong to."""
BUFFER_REGISTRATION = "register_buffer"
"""The method by which a module of PyTorch is given an array that is no parameter of it."""
REGISTRATIONS = frozenset((BUFFER_REGISTRATION, "register_parameter"))
"""Those that are given the name of an attribute, and what it is to hold."""
CUTS = frozenset(("head", "tail", "take"))
"""Methods of data frames and data sets that leave as many elements as they are given."""
ROW_LISTINGS = frozenset(("as_numpy_iterator", "iterrows", "itertuples", "tolist"))
"""Methods that give the rows, or elements, of data frames, data sets and arrays one by one."""
CONVERSIONS = frozenset(
    (
        "astype",
        "bool",
        "clone",
        "contiguous",
        "copy",
        "cpu",
        "cuda",
        "detach",
        "double",
        "float",
        "half",
        "int",
        "long",
        "numpy",
        "to",
    )
)
"""Methods of arrays that copy, cast or move them, and leave their shape as it is."""
CONVERTERS = frozenset(
    (
        "array",
        "as_tensor",
        "asarray",
        "ascontiguousarray",
        "cast",
        "constant",
        "convert_to_tensor",
        "tensor",
    )
)
"""Functions that give what they are given as an array, and an array as one of the same numbers."""
ELEMENT_GIVING = frozenset(("max", "min", "next"))
"""Functions of Python that give an element of what they are given."""
ENTRY_GIVING = frozenset(("get", "pop", "setdefault"))
"""Methods of mappings and lists that give one thing of what is in them."""
HOLDING_FUNCTIONS = frozenset(("dict", "iter", "list", "map", "reversed", "set", "sorted", "tuple"))
"""Those whose result holds the elements of what they are given, or gives them one by one."""
SHARING = frozenset(
    """as_tensor asanyarray asarray ascontiguousarray asfortranarray contiguous cpu float from_numpy
    numpy to""".split()  # noqa: SIM905
)
"""Functions and methods that may give the array that they are given, or another of its memory."""
AXIS_ADDITIONS = frozenset(("expand_dims", "unsqueeze"))
"""Functions, and methods of arrays, that give the array with one more axis, of length one."""
FLATTENINGS = frozenset(("flatten", "ravel"))
"""Those that lay an array flat."""
PERMUTATIONS = frozenset(("permute", "transpose"))
"""Those that give all axes another order."""
AXIS_SWAPS = frozenset(("swapaxes", "swapdims", "transpose"))
"""Those that exchange two axes."""
MASKINGS = frozenset(("boolean_mask", "masked_select"))
"""Functions that pick the elements of an array at which a condition holds."""
PLACE_FINDERS = frozenset(("nonzero", "where", "where_v2"))
"""Functions that, given a condition alone, tell where it holds."""
REPETITIONS = frozenset(("broadcast_to", "expand", "meshgrid", "repeat", "tile"))
"""Those that give its elements more than once."""
COMBINATIONS = frozenset(
    (
        "add",
        "divide",
        "equal",
        "maximum",
        "minimum",
        "mul",
        "multiply",
        "power",
        "squared_difference",
        "sub",
        "subtract",
    )
)
"""Functions of two arrays that combine each element of one with an element of the other."""
REDUCTIONS = frozenset(
    (
        "all",
        "amax",
        "amin",
        "any",
        "argmax",
        "argmin",
        "count_nonzero",
        "logsumexp",
        "max",
        "mean",
        "median",
        "min",
        "nanmax",
        "nanmean",
        "nanmin",
        "nansum",
        "norm",
        "prod",
        "reduce_all",
        "reduce_any",
        "reduce_euclidean_norm",
        "reduce_logsumexp",
        "reduce_max",
        "reduce_mean",
        "reduce_min",
        "reduce_prod",
        "reduce_std",
        "reduce_sum",
        "reduce_variance",
        "std",
        "sum",
        "top_k",
        "topk",
        "var",
    )
)
"""Functions, and methods of arrays, whose result is smaller by an axis, or along one."""
JOINS = frozenset(
    (
        "append",
        "cat",
        "column_stack",
        "concat",
        "concatenate",
        "dstack",
        "hstack",
        "row_stack",
        "stack",
        "vstack",
    )
)
"""Functions of frameworks that join arrays to one."""
ROW_JOINS = frozenset(("cat", "concat", "concatenate", "vstack"))
"""Those that join arrays along an axis that they have, if nothing else is said the first."""
RESIZINGS = frozenset(("fit", "imresize", "load_img", "resize", "resize_with_pad", "thumbnail"))
"""Functions and methods that give a picture the size that they are told."""
SAMPLE_STEPS = frozenset(
    (
        *("array", "as_tensor", "asanyarray", "asarray", "ascontiguousarray", "astype", "cast"),
        *("clip", "concatenate", "convert", "copy", "crop", "cvtColor", "decode", "decode_image"),
        *("decode_jpeg", "decode_png", "expand_dims", "fit", "flip", "fliplr", "float", "float32"),
        *("from_numpy", "fromarray", "frombuffer", "get_fdata", "half", "img_to_array"),
        *("imresize", "join", "list", "normalize", "numpy", "pad", "permute", "preprocess_input"),
        *("read", "read_file", "reshape", "resize", "resize_with_pad", "rot90", "rotate"),
        *("squeeze", "stack", "swapaxes", "tensor", "thumbnail", "to_tensor", "transform"),
        *("transpose", "uint8", "unsqueeze"),
    )
)
"""What may stand between a file that is read and an array of many: it leaves about as much."""
BATCH_STEPS = frozenset(("pad_sequences", "preprocess_input", "texts_to_sequences"))
"""Functions of Keras that prepare samples, and give as many rows as they get."""
TEXT_METHODS = frozenset(("format", "join", "lower", "lstrip", "rstrip", "strip", "upper"))
"""Methods of strings that give one."""
BESIDE_TEXTS = frozenset(("images", "videos", "audio", "audios", "raw_speech"))
"""Parameters of the processors of Hugging Face that are no texts."""
TEXT_SPLITS = frozenset(("readlines", "sent_tokenize", "split", "splitlines"))
"""Functions and methods that give many."""
HOST_READS = frozenset(("cpu", "detach", "item", "numpy", "to", "tolist"))
"""Methods of tensors that give their numbers to Python, and those that are called on the way."""
CHECKPOINT_WRITES = frozenset(
    (
        "dump",
        "save",
        "save_checkpoint",
        "save_file",
        "save_model",
        "save_pretrained",
        "save_weights",
    )
)
"""Functions and methods that write a model, or its weights, to a file."""
LOG_WRITES = frozenset(
    (
        "add_histogram",
        "add_image",
        "add_scalar",
        "add_scalars",
        "debug",
        "flush",
        "info",
        "log",
        "log_metric",
        "log_metrics",
        "print",
        "set_description",
        "set_postfix",
        "set_postfix_str",
        "to_csv",
        "warning",
        "write",
        "writelines",
        "writerow",
    )
)
"""Functions and methods that write numbers or text to a terminal, a file or a tracker."""
VARIABLE_ASSIGNMENTS = frozenset(("assign", "assign_add", "assign_sub"))
"""Methods of TensorFlow's variables, and functions so called, that give them a value."""
CHANGES = CONTAINER_ADDITIONS | CONTAINER_REMOVALS | ARRAY_CHANGES | STATE_CHANGES
CHANGES |= VARIABLE_ASSIGNMENTS
"""Methods that change the object that they are called on."""
WRITING_OPERATORS = frozenset(
    """__delitem__ __iadd__ __iand__ __ifloordiv__ __imatmul__ __imod__ __imul__ __ior__ __ipow__
    __isub__ __itruediv__ __ixor__ __setitem__""".split()  # noqa: SIM905
)
"""Methods that statements such as `x += y` and `x[i] = y` run."""
INDEXED_PLACES = "at"
"""The attribute of an array of JAX that gives its places to such methods."""
INDEXED_UPDATES = frozenset(("add", "divide", "max", "min", "multiply", "set", "subtract"))
"""Methods of `x.at[i]`, for an array of JAX, that give the array with these items changed."""
DRAWINGS = frozenset(
    """add_artist add_collection3d add_patch add_subplot annotate bar contour fill_between hist
    imshow plot plot_surface savefig scatter set_title subplot suptitle text title""".split()  # noqa: SIM905
)
"""Functions of Matplotlib, and methods of its figures and axes, that add to a picture."""
DISPLAYS = frozenset(("add_figure", "draw", "imsave", "imwrite", "pause", "savefig", "show"))
"""Functions and methods that render a picture: to a window, a file or a tracker."""
RENDERING = "render"
"""The method of an environment that shows its state to somebody."""
PICTURE_SETTINGS = frozenset(
    (
        "cla",
        "clf",
        "close",
        "figure",
        "gca",
        "gcf",
        "grid",
        "legend",
        "subplots",
        "title",
        "xlabel",
        "ylabel",
    )
)
"""Functions of Matplotlib that make, empty or label a picture."""
PANELS = frozenset(("add_subplot", "subplot", "subplot2grid"))
"""Those that add a panel, of which a picture has room for few."""
ASKINGS = frozenset(("encode", "forward", "forward_features", "predict", "predict_on_batch"))
"""Methods of models that run them on what they are given."""
PREDICTIONS = frozenset(("predict", "predict_on_batch"))
"""Those by which models of Keras answer with arrays, whatever runs around them."""
EMBEDDINGS = frozenset(("encode_image", "encode_text", "get_image_features", "get_text_features"))
"""Those that only models of texts and pictures have."""
QUANTILES = frozenset(("nanpercentile", "nanquantile", "percentile", "quantile"))
"""Functions and methods that reduce an array for each of the shares that they are asked for."""
