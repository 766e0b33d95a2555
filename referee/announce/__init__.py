"""What is said and shown: sentences in French and English."""
