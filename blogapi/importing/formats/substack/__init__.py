"""Read an export of Substack: the table `posts.csv`, and the text of each post in the folder `posts`."""
