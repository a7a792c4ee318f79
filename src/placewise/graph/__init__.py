"""Writing down: graphs, their operations and symbolic tensors. Knows no devices that are here."""
