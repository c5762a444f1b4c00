"""Adapters for other tools' record formats, detected by shape."""

from medassay.models.intake.adapters import (
    biogen,
    healthbench,
    kqa,
    label_studio,
    lm_eval,
    log_forms,
    medaesqa,
    message_rows,
    mlflow_traces,
    nuggetizer,
    open_rag_eval,
    openai_evals,
    pubmedqa,
    ragchecker,
)
from medassay.models.intake.adapters.adapter import Adapter

ADAPTERS: tuple[Adapter, ...] = (
    healthbench.ADAPTER,
    *log_forms.ADAPTERS,
    lm_eval.ADAPTER,
    openai_evals.ADAPTER,
    label_studio.ADAPTER,
    *mlflow_traces.ADAPTERS,
    medaesqa.RAW,
    medaesqa.JUDGED,
    kqa.LABELS,
    kqa.ORIGINAL,
    ragchecker.ADAPTER,
    open_rag_eval.ADAPTER,
    pubmedqa.ADAPTER,
    nuggetizer.ADAPTER,
    biogen.ADAPTER,
    message_rows.ADAPTER,
)
"""In the order in which a record is held against them; the first that knows it reads it."""

__all__ = ["ADAPTERS", "Adapter"]
