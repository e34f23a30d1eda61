"""From text to a model: stages that run in order, each kept until the model is complete."""
