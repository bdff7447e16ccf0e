"""The response cache: stores responses in memory and replays them while their content is unchanged."""
