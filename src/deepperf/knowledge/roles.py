"""What parameters mean, whatever their names are: a part of the vocabulary of the fact tables."""

from __future__ import annotations

import enum


class ParameterRole(enum.Enum):
    """What a parameter means, whatever its name is in each framework."""

    FUNCTION = "function"  # the callable to apply, trace or compile
    PARALLELISM = "parallelism"  # how many workers or calls run at once
    BATCH_SIZE = "batch-size"
    CACHE = "cache"  # whether what was computed for the tokens before is kept for the next
    CYCLE_LENGTH = "cycle-length"
    INPUT = "input"  # the data that a model is run on
    STEPS = "steps"  # how many batches make an epoch, or are run in all
    VALIDATION_STEPS = "validation-steps"  # the same for the pass over validation data
    TRANSFORMATION = "transformation"
    MODEL = "model"  # the model that is trained or evaluated
    SETTINGS = "settings"  # the object that says how
    METRICS = "metrics"  # a function of all that an evaluation gave
    KEEPS_LESS = "keeps-less"  # given, only a part of what a model gives is kept for that
    SAMPLES_OF = "samples-of"  # the data set that batches are made of
    DEVICE = "device"  # where the arrays of the result are put
    PLACE = "place"  # the path, or open file, of what is read or written
    KEPT = "kept"  # how many of the files that are written are kept, the newest
    STATIC = "static"  # arguments that are compile-time constants
    DONATED = "donated"  # arguments whose memory the compiled code may reuse for its results
    WHOLE = "whole"  # True has the compiler fail where it can't compile all as one graph
    DYNAMIC = "dynamic"  # False compiles for each shape, True once for all
    FIXED = "fixed"  # an array whose shape is from then on a constant of what is compiled
    SIGNATURE = "signature"  # the types and shapes of all arguments, said beforehand
    RELAXED_SHAPES = "relaxed-shapes"  # asks for one version for all shapes
    TRACED = "traced"  # a number that may be an array of the device as well: a shift, an index
    EACH_SHAPE = "each-shape"  # True has a compiler make code for each shape, whatever is traced
    AXIS = "axis"
    KEEPS_AXES = "keeps-axes"  # True keeps the axes that are reduced, one long
    SETTING = "setting"  # a type, a depth: says how the work is done, and is never data
    BACKEND = "backend"  # the compiler to use
    STAND_IN = "stand-in"  # names the operation that converters put in the function's place
    STATEFUL = "stateful"  # False promises equal results for equal arguments
    MOST = "most"  # how many elements there are at most; all, where it is negative
    BUFFER = "buffer"  # how many elements are held at a time, to draw the next one from
    TIMES = "times"  # how often all elements are given; without end, where it is left out
    ELEMENTS = "elements"  # the array, or arrays, whose slices a function is applied to
    RAGGED = "ragged"  # given, it says that results or slices are not all of one shape
    CHUNK = "chunk"  # how many slices are taken at a time, chosen for the memory they need
    SHAPE = "shape"  # of what is made or drawn; of draws a single number where it is left out
    SAMPLES = "samples"  # the shape in which a distribution is drawn from, before its own axes
    ORDERED = "ordered"  # numbers in order among which others are placed
    GRAPH = "graph"  # the graph that a session runs; the default one where it is left out
    ARGUMENTS = "arguments"  # a tuple of what a function is called with, by position
    KEYWORDS = "keywords"  # a dict of what it is called with, by name
    CHANGED = "changed"  # the array or list that is written to
    KEY = "key"  # the state of a random generator, passed along
    SECONDS = "seconds"  # how long it waits at most
    TELLS = "tells"  # nothing else has a keyword of this name, where it is told by one
    BATCHED = "batched"  # True has the function called with many samples at a time
    MAPPED = "mapped"  # where it is True, the function meets memory that is mapped, not read
    MILLISECONDS = "milliseconds"  # the same; 0 is until somebody does something
    DEBUG = "debug"  # True has a framework check or log everything, or run it eagerly
    OPTION = "option"  # the name of an option that is set
    FINDS_UNUSED = "finds-unused"  # True looks through each graph for parameters without gradient
    SHUFFLED = "shuffled"  # True draws the samples in random order
    ORDER = "order"  # what decides which samples come when
    LISTENER = "listener"  # is given each token as it is made, of one text at a time
    FUSED = "fused"  # any value but the default rules out the one kernel for all of it
    PRECISION = "precision"  # the type of the weights that are loaded
    QUANTIZED = "quantized"  # given, weights are kept in fewer bits than a type has
    FOREIGN = "foreign"  # True runs code that comes with the weights, of which nothing is known
    FOUR_BITS = "four-bits"  # True keeps weights in four bits
    COMPUTE_TYPE = "compute-type"  # the type in which products of such weights are computed
    ATTENTION = "attention"  # the implementation of attention
    UNCOMPILED = "uncompiled"  # True runs a model operation by operation
    LOG_EVERY = "log-every"  # after how many steps numbers are logged
    ACCUMULATION = "accumulation"  # of how many batches gradients are summed
    EACH_STEP = "each-step"  # True does so in each step
    SYNCED = "synced"  # True averages over all processes first
    COUNTS = "counts"  # tells how long the result is: in a tensor, it has to be read first
    LENGTH = "length"  # how long the result is, so that nothing has to be read
