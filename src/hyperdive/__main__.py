"""`python -m hyperdive` is the command line."""

from hyperdive.cli.main import run

if __name__ == "__main__":
    run()
