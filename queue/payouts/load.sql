-- payouts: whose line it is, and in which currency.
SELECT person_id, currency FROM payouts WHERE id = %(payout_id)s::bigint;
