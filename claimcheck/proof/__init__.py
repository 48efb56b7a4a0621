"""What others can check without us: receipts, exports and results, and the keys that sign them."""
