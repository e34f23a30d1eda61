"""The explorer in the browser and the HTTP API over models: `hyperdive serve`. Needs the `web` extra."""
