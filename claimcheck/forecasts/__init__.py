"""When work will be done: a measured rate, corrected by how earlier forecasts came true. Formulas in docs/forecast.md."""
