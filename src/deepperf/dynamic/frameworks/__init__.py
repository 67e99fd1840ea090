"""How each framework is listened to: steps, calls of models, pipelines, compiling."""
