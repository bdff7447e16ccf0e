"""What a blog consists of, how it is written and found; other forms than the API's own are in `delivery`."""
