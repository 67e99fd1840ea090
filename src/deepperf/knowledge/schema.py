"""The vocabulary of the fact tables: what may be known of a framework's callable.

A rule asks for traits; a fact table grants them. Adding an API is a table in
`facts/<framework>.toml`; a new kind of behaviour is a member of `Trait` with its meaning in
one sentence.
"""

from __future__ import annotations

import enum
from typing import TypeGuard

from msgspec import Struct

from deepperf.knowledge.roles import ParameterRole

__all__ = ["Addition", "Fact", "Parameter", "ParameterRole", "Trait", "TypeFact", "has"]


class Trait(enum.Enum):
    """Behaviour of a callable that rules and the engine ask about."""

    # Members are equal only to themselves; they are hashed so often that it shows.
    __hash__ = object.__hash__

    # What an operation does
    COMPUTES = "computes"  # does work that grows with its arguments' size, and only returns it
    COSTLY = "costly"  # takes far longer than a pass over its arguments, or needs whole arrays
    CUBIC = "cubic"  # takes time with the cube of a side of its matrix: a solver, an inverse
    BATCHED = "batched"  # takes a batch at once: along leading axes, an axis, or by a sibling
    ARRANGES = "arranges"  # copies, joins or moves elements, and computes nothing
    REDUCES = "reduces"  # goes once over many numbers, and makes fewer of them: a sum, a length
    SPLITS = "splits"  # gives a list of pieces, which may differ in length
    SPLITS_EVENLY = "splits-evenly"  # of one length, where it is told how many
    KEEPS_SHAPE = "keeps-shape"  # gives an array that is shaped as its first argument
    SPREADS_SHAPE = "spreads-shape"  # takes each axis of a shape by itself, or all as one
    TELLS_SHAPE = "tells-shape"  # gives the shape, or the number of axes or elements
    CASTS = "casts"  # converts to a type: no work, or little, where the argument has it already
    ELEMENTWISE = "elementwise"  # on a batch gives the batch of the results on its elements
    LISTS_PARTS = "lists-parts"  # gives a list of what lies along an axis of its argument
    LISTS_COLUMNS = "lists-columns"  # gives a list of tensors that are shaped as its argument
    ALONG_AXIS = "along-axis"  # elementwise in every axis but the one that it is given
    CREATES_ARRAY = "creates-array"  # makes an array or tensor from shapes or Python values
    COUNTS_UP = "counts-up"  # gives the numbers from its first argument to its second, or up to one
    CONVERTS = "converts"  # makes an array of the numbers, lists or array that it is given first
    COPIES_ONE_BY_ONE = "copies-one-by-one"  # of a list of arrays it copies each number by itself
    VIEWS = "views"  # returns a view or metadata without touching the elements
    CREATES_VARIABLE = "creates-variable"  # makes trainable or stored state
    STATELESS = "stateless"  # a class whose objects hold nothing but what they are made of
    CREATES_LAYER = "creates-layer"  # makes a layer, module, model or optimizer
    FED = "fed"  # a node that each session run is given a value for
    GIVES_SYMBOL = "gives-symbol"  # gives what stands for data until a model or graph runs
    ADDS_NODE = "adds-node"  # in graph mode, each call adds nodes to the default graph
    KEEPS_NUMPY = "keeps-numpy"  # computes with NumPy where it is not given a tensor
    ADDS_MANY_NODES = "adds-many-nodes"  # these are some for each variable or layer of a model

    # Effects
    DRAWS = "draws"  # gives random numbers, as many as its shape or its parameters ask for
    DRAWS_ELEMENT = "draws-element"  # of the lists and weights that it is given, at random
    DRAWS_ALIKE = "draws-alike"  # all that one call draws has the same parameters
    RANDOM = "random"  # draws from a hidden random state: each call differs
    AUGMENTS = "augments"  # changes a sample at random, or makes what does
    SEEDS = "seeds"  # starts a hidden random state anew, so that the same is drawn from then on
    READS_STATE = "reads-state"  # its result depends on state besides its arguments
    WRITES_STATE = "writes-state"  # changes a variable, a table, a file writer, an argument
    PRINTS = "prints"  # writes to standard output or a log
    SUMMARIZES = "summarizes"  # writes down, now and then, what a person may look at
    READS_FILE = "reads-file"  # reads a file or the network
    TELLS_PLACES = "tells-places"  # gives paths of what lies in a place
    GIVES_LIST = "gives-list"  # gives a list with an entry for each number, file or row of its data
    SEARCHES_LIST = "searches-list"  # goes through a list from its start, for an element
    ASKS_PERSON = "asks-person"  # waits until a person has answered
    WAITS_FOR_NEXT = "waits-for-next"  # whoever goes over its object waits for another to make more
    WAITS = "waits"  # lets time pass, as it is told to, or until a window is closed
    CALLS_PYTHON = "calls-python"  # runs a Python function from inside the framework's runtime
    SYNCS_HOST = "syncs-host"  # makes the host wait for the device
    READS_SIZES = "reads-sizes"  # what it is given besides an array are numbers that it reads
    READS_NUMBERS = "reads-numbers"  # gives the Python numbers that a tensor holds
    PURE = "pure"  # a host-side function of its arguments, without effects

    # Parts of arrays
    JOINS = "joins"  # makes one array of a list of arrays or numbers
    HANDLES_TEXT = "handles-text"  # splits, joins, compares, reads or looks up texts
    GROWS = "grows"  # copies arrays or tables, one behind the other, into a longer one
    LENGTHENS = "lengthens"  # joins arrays that may differ in length along the axis they have
    ADDS_AXIS = "adds-axis"  # gives the same numbers, with one more axis of length one
    INFERS = "infers"  # runs a model on one input or many, and keeps nothing for gradients
    ASKS_NETWORK = "asks-network"  # has its thread wait for another machine's answer
    KEEPS_ARGUMENT = "keeps-argument"  # its object holds on to what it is given last
    REGISTERS = "registers"  # its object keeps the second argument under the name that is the first
    CLEARS = "clears"  # its object lets go of what it holds
    COLLECTS = "collects"  # keeps a value beside those of earlier calls, to be joined later
    SORTS = "sorts"  # puts all numbers along an axis in order
    RANKS = "ranks"  # gives the places of its data, number by number, among those in order
    GATHERS = "gathers"  # gives the parts of its first argument that lie at given indices
    SCATTERS = "scatters"  # sets, or adds to, the parts of an array that lie at given indices
    ACCUMULATES = "accumulates"  # as `scatters`, combining what is set with what is there
    FINDS_PLACES = "finds-places"  # gives as many indices or elements as the values tell
    SELECTS = "selects"  # given three arrays, takes each number from the second or the third
    MARKS_INDICES = "marks-indices"  # gives, for indices, arrays that differ from zero there

    # Input pipelines
    MAPS_ELEMENTS = "maps-elements"  # applies a Python function to each element of a dataset
    MAPS_AND_BATCHES = "maps-and-batches"  # one call that maps elements and then batches them
    BATCHES = "batches"  # groups consecutive elements of a dataset
    PADS = "pads"  # makes elements of unlike shapes alike, or keeps them ragged, while batching
    UNBATCHES = "unbatches"  # takes batches apart again
    CHAINS_DATASET = "chains-dataset"  # the same elements, or fewer, perhaps in another order
    SHUFFLES = "shuffles"  # gives the same elements in a random order
    FILTERS = "filters"  # drops the elements of a dataset that a function tells
    REPEATS = "repeats"  # gives the elements of a dataset more than once
    CREATES_DATASET = "creates-dataset"  # starts a dataset
    GIVES_NUMBERS = "gives-numbers"  # starts a dataset whose elements are single texts or numbers
    GIVES_ROWS = "gives-rows"  # starts a dataset whose elements are tuples of texts and numbers
    PAIRS_DATASETS = "pairs-datasets"  # one element of each dataset that it is given, at a time
    ONE_ELEMENT = "one-element"  # starts a dataset of a single element
    ONE_PER_ITEM = "one-per-item"  # starts a dataset of as many elements as it is given
    JOINS_DATASETS = "joins-datasets"  # makes one dataset of those that its function gives
    APPLIES_TRANSFORMATION = "applies-transformation"  # hands the dataset to a function
    SEARCHES = "searches"  # calls a function some tens of times, for its extremum, and forgets it
    FOLDS = "folds"  # calls a function with what it gave last and the next item, in turn
    PREFETCHES = "prefetches"  # makes the next elements ready while others are worked on
    CACHES_ELEMENTS = "caches-elements"  # keeps what it gave once, for the next time round
    ITERATES_DATASET = "iterates-dataset"  # makes an iterator over the dataset it is given
    GIVES_NEXT = "gives-next"  # the next element of a dataset, as a node that a session runs
    SETS_DATASET_OPTIONS = "sets-dataset-options"  # attaches tf.data Options
    TUNES_PARALLELISM = "tunes-parallelism"  # a value that leaves the number of workers to tuning
    PARALLELIZES_MAPS = "parallelizes-maps"  # an attribute that, set, makes stateless maps parallel
    KEEPS_ORDER = "keeps-order"  # an attribute that, set to False, lets elements come in any order
    DECODES = "decodes"  # decodes one encoded image, sound or record: shapes differ by element
    NUMBERS_BYTES = "numbers-bytes"  # gives the bytes of texts as numbers, along a further axis
    LAYS_ANEW = "lays-anew"  # gives the same numbers, in the shape that it is told as second
    FILLS_IN = "fills-in"  # gives what is told by places as an array, with zeros between
    READS_SAMPLE = "reads-sample"  # gives the content of a file, to be decoded
    PARSES_EXAMPLE = "parses-example"  # parses one serialized example, and has a batch form

    # Graphs and sessions
    RUNS_SESSION = "runs-session"  # executes graph nodes in a session
    OPENS_SESSION = "opens-session"  # makes a session: threads, memory, a graph to prune
    ENTERS_GRAPH = "enters-graph"  # makes a graph the default in a `with` block
    CREATES_GRAPH = "creates-graph"  # makes a new, empty graph
    SETS_ONE_VARIABLE = "sets-one-variable"  # runs the session to give one variable its value
    RESETS_GRAPH = "resets-graph"  # throws the default graph (or Keras' state) away
    DISABLES_EAGER = "disables-eager"  # switches TensorFlow 2 to graph mode
    TELLS_EAGER = "tells-eager"  # says whether operations run at once or become nodes
    TELLS_CAPTURE = "tells-capture"  # true only while a program is scripted, traced or exported
    CLOSES_GRAPH = "closes-graph"  # what would add to the graph from then on fails
    STARTS_OVER = "starts-over"  # gives variables their first values, when it is run
    TELLS_DEVICE = "tells-device"  # says whether there is an accelerator
    TELLS_KIND = "tells-kind"  # says whether what it is given is a tensor
    GIVES_MODEL = "gives-model"  # makes a whole model, from its parts, by its name or from a file
    LOADS_MODEL = "loads-model"  # reads a saved graph, or the values of its variables

    # Compilation
    COMPILES = "compiles"  # returns a compiled or traced version of the function it is given
    COMPILES_AT_LENGTH = "compiles-at-length"  # to machine code, which takes longer than tracing
    COMPILES_UNLESS_TRACED = "compiles-unless-traced"  # runs functions, which it compiles for that
    MAPS_ROWS = "maps-rows"  # applies a function to each slice of an array, one after the other
    APPLIES = "applies"  # calls its function for each part of a structure, and gives their results
    VECTORIZES = "vectorizes"  # makes the function that it applies to slices take all at once
    CHOOSES = "chooses"  # runs one of the functions that it is given, as its first argument says
    TRACES_EACH_VALUE = "traces-each-value"  # anew for each new Python number or text it is given
    TRACES_EACH_SHAPE = "traces-each-shape"  # anew for each new shape among its arguments
    DIFFERENTIATES = "differentiates"  # calling its result runs a function and its gradient
    SAMPLES_IN_LOOP = "samples-in-loop"  # turns a loop of small operations, eagerly unless traced
    TRACES_ARGUMENT = "traces-argument"  # runs the Python function it is given once, while tracing
    WRAPS_FUNCTION = "wraps-function"  # returns a new function object around its argument
    FORGETS_COMPILED = "forgets-compiled"  # throws away what was compiled or traced until now
    TRACES_ANEW = "traces-anew"  # has what its object runs traced again, when it next runs
    BREAKS_GRAPH = "breaks-graph"  # runs in Python what it can't trace, between two graphs
    STAYS_PYTHON = "stays-python"  # what a compiler that breaks graphs leaves to Python
    RUNS_COMPILED = "runs-compiled"  # a method that training or asking a model compiles and runs
    RUNS_REPLICAS = "runs-replicas"  # runs a function once on each device of a strategy
    EXEMPTS = "exempts"  # keeps a compiler away from the function that it is given
    FINDS_SAME_FUNCTION = "finds-same-function"  # compiles one function object only once
    FINDS_EQUAL_FUNCTION = "finds-equal-function"  # the same for methods read of one object
    COMPARES_BY_PARTS = "compares-by-parts"  # a class whose objects, and methods, may be equal
    FINDS_SAME_CODE = "finds-same-code"  # compiles functions made from one text only once
    STARTS_WORKER = "starts-worker"  # runs the function it is given in a thread of its own
    STARTS_PROCESS = "starts-process"  # runs the function it is given in a process of its own
    STARTS_POOL = "starts-pool"  # starts processes that wait for work, until it is closed
    HANDS_WORK_ON = "hands-work-on"  # has a pool run the function it is given, once
    RUNS_FILE = "runs-file"  # runs functions of the file that calls it, by their names
    READS_OPTIONS = "reads-options"  # reads what a program was started with
    MEMOIZES = "memoizes"  # caches what the decorated function returned
    RUNS_NATIVELY = "runs-natively"  # makes machine code of the function or class it decorates

    # Contexts, entered by `with` or as a decorator
    RECORDS_GRADIENT = "records-gradient"  # a gradient tape: what is computed inside is remembered
    SWITCHES_GRADIENT = "switches-gradient"  # records gradients from then on, or not, as it is told
    NO_GRADIENT = "no-gradient"  # nothing computed inside is remembered for gradients
    ASKS_GRADIENT = "asks-gradient"  # tells, or computes otherwise, where gradients are recorded

    # Training
    STEPS_TRAINING = "steps-training"  # takes a single training step, or a part of one
    RUNS_EACH_STEP = "runs-each-step"  # a method that the framework calls once for each step
    RUNS_WITHOUT_GRADIENT = "runs-without-gradient"  # a method called while none are recorded
    RUNS_EACH_ITEM = "runs-each-item"  # the same for each item, or batch, of a data set
    RUNS_EACH_EPOCH = "runs-each-epoch"  # the same for each epoch, or pass over validation data
    GIVES_LOADER = "gives-loader"  # a method whose loader the framework goes over in each epoch
    RUNS_BEFORE_STEPS = "runs-before-steps"  # the same once, before the first step

    # Other
    TELLS_TYPE = "tells-type"  # a method that nothing but its type has: a call of it tells the type
    TOLD_BY_NAME = "told-by-name"  # a method so named of something unknown is taken for this one
    TOLD_BY_KEYWORD = "told-by-keyword"  # as that, called with a keyword that tells
    TOLD_BY_PARALLELISM = "told-by-parallelism"  # as that, where a call says how parallel it is
    HANDLES_REQUEST = "handles-request"  # registers the decorated function to serve requests
    TRAINS = "trains"  # runs a whole training, evaluation or prediction loop inside
    FITS = "fits"  # trains a model, epoch after epoch, on the data it is given
    ASKS = "asks"  # runs a model once, on the batch that it is given, for its answers
    PREDICTS = "predicts"  # runs a model on rows, batch after batch, at a fixed cost for each call
    EVALUATES = "evaluates"  # as `predicts`, and compares with what was to come out
    CONVOLVES = "convolves"  # a convolution over at least two axes, as a layer
    LOADS_SAMPLE = "loads-sample"  # gives one image, sound, volume or array that a file holds
    READS_PICTURE = "reads-picture"  # of a format that every framework decodes: JPEG, PNG
    LOADS_ARRAY = "loads-array"  # gives the numbers that a file holds as they are, not decoded
    HOLDS_ARRAYS = "holds-arrays"  # a dataset over arrays that stay in memory as a whole
    MAKES_TENSOR = "makes-tensor"  # copies an array into a tensor or variable, on the device
    # What a training, evaluation or server does besides computing
    RUNS_PARTS = "runs-parts"  # calling its object runs the modules that it is made of
    RUNS_MODULE = "runs-module"  # calling it runs a layer or model on what it is given
    ANSWERS_BY_HEAD = "answers-by-head"  # the same, of a model that gives logits and no last state
    NORMS_LAST = "norms-last"  # the same, of a model that norms its last state after it kept all
    APPLIES_MODEL = "applies-model"  # the same, one operation after the other unless it is compiled
    RUNS_MODEL = "runs-model"  # runs a whole model on what it is given, and keeps nothing
    BACKPROPAGATES = "backpropagates"  # computes gradients of what was computed before
    STEPS_OPTIMIZER = "steps-optimizer"  # changes a model's parameters by their gradients
    GENERATES = "generates"  # runs a model again and again, for one token or step after another
    TOKENIZES = "tokenizes"  # turns texts into numbers of tokens
    ONE_TEXT = "one-text"  # does so for one text alone, never for a list of them
    ONE_LENGTH = "one-length"  # its model was trained on texts of one length
    LOADS_BATCHES = "loads-batches"  # makes batches of a data set's samples
    STREAMS = "streams"  # a data set that is read from its start to its end, never by index
    MAPS_SAMPLES = "maps-samples"  # calls a function for each sample of a data set, or each batch
    CHANGES_ELEMENTS = "changes-elements"  # computes new elements for its tensor, in place
    SHARDS = "shards"  # leaves each process a part of each parameter
    MOVES = "moves"  # copies a tensor, or all parameters of a model, to a device
    WAITS_FOR_ALL = "waits-for-all"  # until all work of the device, or all processes, came so far
    COMMUNICATES = "communicates"  # exchanges tensors with other processes
    LOGS_METRICS = "logs-metrics"  # sends numbers or media to a tracker of experiments
    PLOTS = "plots"  # draws or writes a picture for people
    SAVES = "saves"  # writes data, a model or its state to a file
    SAVES_STORAGE = "saves-storage"  # writes a tensor with all of the memory that it is a view of
    SHARES_MEMORY = "shares-memory"  # gives its tensor's numbers without copying them
    GIVES_PARTS = "gives-parts"  # gives a part of its tensor, or several, without copying them
    RESTORES_DEVICE = "restores-device"  # puts what it reads where it was saved, unless told where
    TAKES_STATE = "takes-state"  # copies the weights or state that it is given into its object's
    GIVES_LOG_PROBABILITIES = (
        "gives-log-probabilities"  # the logarithms of a softmax, for all classes
    )
    EMPTIES_CACHE = "empties-cache"  # gives the memory that an allocator keeps back to the device
    COLLECTS_GARBAGE = "collects-garbage"  # looks through all objects for those nobody needs
    TIMES_COLLECTION = "times-collection"  # decides when objects that nobody needs are looked for
    TELLS_TIME = "tells-time"  # reads a clock
    COPIES_ALL = "copies-all"  # copies an object with all that it holds
    READS_TABLE = "reads-table"  # reads a whole table or file of records
    ITERATES_ROWS = "iterates-rows"  # gives the rows of a table, each as an object of its own
    INDEXES_ROWS = "indexes-rows"  # picks rows of a table by their places or labels
    FILTERS_ROWS = "filters-rows"  # goes over all rows of a table for those that meet a condition
    OPENS_HANDLE = "opens-handle"  # opens a file whose parts are read later, one by one
    TAKES_LONG_TO_OPEN = "takes-long-to-open"  # reads an index or a header when it opens a file
    RESAMPLES = "resamples"  # a sound or a volume, with filters or splines over all of it
    RESIZES = "resizes"  # resamples an image or a sound
    GIVES_BOOLEANS = "gives-booleans"  # gives an array of truth values
    GIVES_PLAIN = "gives-plain"  # gives numbers, texts, lists and dicts of Python, and no array
    GIVES_HOST = "gives-host"  # gives what lies on the host: numbers, lists, NumPy arrays
    DRAWS_SHARE = "draws-share"  # gives a random number from 0 to 1, each as likely as any other
    FINDS_FAULT = "finds-fault"  # asks for what should not be there: not a number, an infinity
    BUILDS_TRAINER = "builds-trainer"  # makes an object that trains and evaluates a model
    KEEPS_OUTPUTS = "keeps-outputs"  # decides what is kept of each batch of an evaluation
    HALVES = "halves"  # a type of 16 bits, or makes all weights of a model numbers of 16 bits
    SCORES_WORDS = "scores-words"  # a model that gives a number for each word of its vocabulary
    LISTS_PARAMETERS = "lists-parameters"  # goes over the parameters or parts of a model
    SWITCHES_DEBUG = "switches-debug"  # makes a framework check, log or run everything eagerly
    GIVES_BACK = "gives-back"  # gives what it is given, wrapped or moved; of several, a tuple
    CUTS_GRADIENT = "cuts-gradient"  # gives what no gradient flows back through
    SETS_EVALUATION = "sets-evaluation"  # has a model behave as in evaluation
    MULTIPLIES_MATRICES = "multiplies-matrices"  # of two matrices, or stacks of them, the product
    CONTRACTS = "contracts"  # multiplies, and sums over axes that a text names
    TRANSPOSES = "transposes"  # swaps the axes of its first argument
    TAKES_DIAGONAL = "takes-diagonal"  # of a matrix, its diagonal, or the sum of it
    COMPARES_PAIRS = "compares-pairs"  # each row of the first argument with each of the second
    ATTENDS = "attends"  # attention in one call: a softmax of products, times values
    WEIGHS = "weighs"  # makes weights that sum to one along an axis
    STEPS_CELL = "steps-cell"  # a recurrent cell: one step of a sequence at a time
    TILES = "tiles"  # copies its first argument several times along an axis
    PROJECTS = "projects"  # a layer with a weight from each of its inputs to each of its units
    CONFIGURES = "configures"  # takes arguments that say how a training or a server works
    REPLICATES = "replicates"  # copies a model to each device, each time that it is run
    JOINS_PROCESSES = "joins-processes"  # wraps a model that each of several processes trains
    CLEARS_GRADIENTS = "clears-gradients"  # ends the sum of gradients: the next begins at zero
    DEFERS_EXCHANGE = "defers-exchange"  # has gradients stay in each process for the time being
    SHARES_OUT = "shares-out"  # gives each of several processes its own part of the data
    JOINS_GROUP = "joins-group"  # has a process train together with others
    NUMBERS_PROCESS = "numbers-process"  # which of several processes this is, or how many there are
    SAVES_MEMORY = "saves-memory"  # has a model need less memory, and more time


class Parameter(Struct, frozen=True):
    """One parameter that some rule or the engine asks about.

    `position` counts from 0 without `self`, None for keyword-only; `default` is the
    default's source text, None when the parameter is required.
    """

    name: str
    position: int | None = None
    default: str | None = None
    role: ParameterRole | None = None
    among: tuple[str, ...] = ()
    """The texts for which the role holds; all where it is empty."""


class Fact(Struct, frozen=True):
    """What is known of one callable.

    `since`/`until` bound the framework versions that have it (`until` exclusive, "" for
    open). `returns` is the qualified name of the type it gives. `parallel_since` is the
    version from which it runs stateless functions in parallel without being asked.
    `batched_form` is a clause that says how a whole batch is given to it, or to what replaces
    it then; `pairs_form` one that says what compares all pairs. In both `{op}` stands for the
    name it is called by. `data` counts the leading arguments that may come in batches, None
    for all.
    """

    name: str
    framework: str
    traits: frozenset[Trait] = frozenset()
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    since: str = ""
    until: str = ""
    parallel_since: str = ""
    source: str = ""
    batched_form: str = ""
    pairs_form: str = ""
    data: int | None = None


def has(fact: Fact | None, *traits: Trait) -> TypeGuard[Fact]:
    """Whether a callable is known, and has at least one of these traits."""
    return fact is not None and not fact.traits.isdisjoint(traits)


class Addition(Struct, frozen=True):
    """What a further table adds to a fact."""

    traits: frozenset[Trait] = frozenset()
    parameters: tuple[Parameter, ...] = ()
    batched_form: str = ""
    pairs_form: str = ""
    data: int | None = None


class TypeFact(Struct, frozen=True):
    """A class of a framework: its bases, and what iterating or calling an instance gives.

    Where `yields` has several words, each iteration gives a tuple of these types; `$0` is what the
    first argument holds, `$0[]` what it holds under keys.
    """

    name: str
    framework: str
    bases: tuple[str, ...] = ()
    yields: str = ""
    call_returns: str = ""
    call_traits: frozenset[Trait] = frozenset()
    source: str = ""
