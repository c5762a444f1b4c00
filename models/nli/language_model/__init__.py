"""The language model as a reader: a GGUF model with a LoRA adapter that answers A, B or C."""
