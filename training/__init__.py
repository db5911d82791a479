"""How the parts of the default method that are learnt come about; outside the wheel."""
