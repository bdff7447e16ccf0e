"""The command `service`: files with which the operating system runs the blog as a service."""
