"""How a run is recorded: the tape and the trace, samples, the clock of steps, and what it costs."""
