"""`python -m causewise` is the command `causewise`."""

from causewise.cli import main

main()
