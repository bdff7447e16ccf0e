"""The formats that can be imported: one package for each."""
