"""What must not leave the machine: found by rule before a remote judge is asked."""
