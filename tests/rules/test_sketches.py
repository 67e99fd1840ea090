"""Where no fix can be mechanical, some lines show the change in the user's own names."""

from __future__ import annotations

import pytest
from tests.rules.test_pages import examples, findings

from deepperf.rules.page import Kind
from deepperf.rules.registry import named

SHOWN = {
    "chore-per-step": "if step % 100 == 0:  # `step` counts the iterations\n        writer.",
    "constant-upload": "persistent=False)\n# in `",
    "costly-getitem": "self.",
    "data-parallel": "model = torch.nn.parallel.DistributedDataParallel(model.to(device), ",
    "exchange-per-micro-batch": "nullcontext() if is_last else self.model.no_sync():",
    "growing-array": "    parts.append(",
    "hand-written-attention": "attended = torch.nn.functional.scaled_dot_product_attention(\n",
    "host-sync-in-loop": "",
    "list-search-in-loop": "known = set(",
    "log-softmax-to-gather": "each.float().logsumexp(-1) for each in ",
    "missing-distributed-sampler": "loader = DataLoader(dataset, 32, num_workers=4, sampler=",
    "parameter-loop": "",
    "pool-per-iteration": "with multiprocessing.Pool(4) as pool:  # once\n    for table in tables:",
    "requests-one-by-one": "    answers = list(pool.map(ask, ",
    "session-per-step": "with tf.Session(graph=graph) as session:  # once\n    for path in paths:",
    "steps-as-samples": "(training.samples / batch_size)\nmodel.fit_generator(..., steps_per",
    "unbatched-tokenizer": 'data["train"].map(shorten, remove_columns=["text"], batched=True)',
    "undonated-state": "partial(jax.jit, donate_argnums=0)\ndef _update(params, batch)",
    "unrolled-loop": "places, speeds = jax.lax.fori_loop(0, 250, body, (places, speeds))",
}
"""A part of one sketch of each rule, from what its own cases show."""


@pytest.mark.parametrize(("rule", "part"), SHOWN.items())
def test_a_sketch_says_it_in_the_names_of_the_program(rule: str, part: str) -> None:
    shown = (
        finding.sketch
        for _, example in examples(named(rule), Kind.BAD)
        for finding in findings(example, rule)
    )
    assert any(part in sketch for sketch in shown if sketch)
