"""What a front end must fetch anew or drop."""
