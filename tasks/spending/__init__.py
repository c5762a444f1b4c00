"""Spending: caps, ledger, estimates, plan."""
