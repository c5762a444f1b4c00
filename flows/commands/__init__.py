"""The commands of `medassay`, a module a family; imports wait inside them."""
