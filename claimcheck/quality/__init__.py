"""The mathematics of quality: scores, pauses, exams, weights, posteriors, agreement. Pure functions over counts; see docs/quality.md."""
