"""The features of Web2Text (2018)."""
