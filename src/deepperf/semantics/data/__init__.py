"""What feeds a training: files, samples, pipelines, batches."""
