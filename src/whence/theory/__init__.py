"""When is the direction identifiable: the differential equation and the known exceptions."""
