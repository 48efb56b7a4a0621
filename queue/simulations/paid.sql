-- payouts: the sum of the ledger.
SELECT COALESCE(sum(amount_minor), 0)::bigint AS paid, count(*)::int AS lines FROM payouts;
