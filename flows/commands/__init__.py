"""Commands of `medassay`, one module a family."""
