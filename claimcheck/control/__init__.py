"""What leads and operators steer by: figures that workers count, what is worth automating, where the guidance falls short."""
