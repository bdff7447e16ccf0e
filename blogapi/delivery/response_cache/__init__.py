"""The response cache: stores responses in memory and sends them again while their content is unchanged."""
