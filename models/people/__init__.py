"""What people say of answers and of evaluations: sheets to fill in, and which labels are worth asking for."""
