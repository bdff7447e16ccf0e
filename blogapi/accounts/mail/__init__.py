"""E-mail over the SMTP server of the settings, if they name one."""
