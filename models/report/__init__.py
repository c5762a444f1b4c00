"""A run as one self-contained HTML file: what people send around."""

from models.report.page import render
from models.report.rows import ReportData

__all__ = ["ReportData", "render"]
