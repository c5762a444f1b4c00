"""Names of sources that a register gives, from DOIs to numbers of trials: `scheme:value`."""
