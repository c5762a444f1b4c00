"""Training of the reader: a LoRA adapter for Qwen2 that answers A (entailed), B (contradicted) or C (neither)."""
