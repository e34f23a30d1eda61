"""What damaged, hostile and unlucky input does: one clear line, and nothing lost."""
