"""One process drives all GPUs, and copies the model to each of them in every forward pass."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Function, Kind

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)
_TRAINS = (Trait.BACKPROPAGATES, Trait.STEPS_OPTIMIZER)
_CALLERS = 3

_SKETCH = """\
# in each process that `torchrun` starts, instead of `{call}`:
torch.distributed.init_process_group("nccl")
device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
{name} = torch.nn.parallel.DistributedDataParallel({model}.to(device), device_ids=[device])
"""


@each_call(Trait.REPLICATES)
def check(call: Call) -> Iterator[Finding]:
    if _is_for_one_device(call):
        return
    beside = any(call.function.calls(Trait.JOINS_PROCESSES))
    is_training = not beside and any(any(one.file.calls(*_TRAINS)) for one in _users(call.function))
    yield rule.finding(
        call,
        f"`{call.text}` copies the model to every GPU in each forward pass, from one process whose"
        " interpreter all of them share",
        "start one process per GPU with `torchrun` and wrap the model in"
        " `DistributedDataParallel`, which exchanges gradients alone",
        framework="torch",
        sketch=_sketch(call),
        estimate=0.05 if is_training else 0.005,
    )


def _sketch(call: Call) -> str:
    if not call.arguments:
        return ""
    model = call.arguments[0].source
    return _SKETCH.format(call=call.text, name=call.result.variable or "model", model=model)


def _is_for_one_device(call: Call) -> bool:
    devices = call.argument("device_ids", 1)
    return devices is not None and devices.kind is Kind.LIST and len(devices.operands) == 1


def _users(function: Function) -> set[Function]:
    """The function, and those that call it over a few steps."""
    found = new = {function}
    for _ in range(_CALLERS):
        new = {call.function for user in new for call in user.callers()} - found
        found |= new
    return found
