"""Experts: gold, scores and standings, agreement of several looks, appeals, payouts."""
