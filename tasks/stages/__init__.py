"""The stages, a module each under its name in the run table; `stage.py` has what all do, `order.py` when each comes."""
