"""How results are shown: one file per format, each with `lines(results, paint)`."""
