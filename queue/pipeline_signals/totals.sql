-- pipeline_signals: how many of each code there were since the beginning.
SELECT code, n FROM pipeline_signal_totals ORDER BY code;
