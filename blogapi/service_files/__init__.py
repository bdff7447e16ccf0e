"""The command `service`: files with which an operating system runs the blog as a service."""
