"""Other people's record forms, each recognised by its shape and turned into the own one."""
