"""What a reader calls the kinds of evidence that the combined method weighs; keys as in `channels.CHANNELS`."""

KINDS = {
    "description": "code length",
    "independence": "independence of the residual",
    "shape": "shape of the effect along the cause",
    "error": "size of the error",
    "marginals": "how Gaussian each column is",
    "picture": "trained look at the cloud",
}
