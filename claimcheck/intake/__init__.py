"""The pipeline in front of the desk: messages through four gates into the inbox, and from there, in the order of their partitions, to their items."""
