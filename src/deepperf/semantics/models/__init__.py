"""Models: their layers, what flows through them, how they are trained and asked."""
