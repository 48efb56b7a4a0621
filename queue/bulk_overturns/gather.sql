-- bulk_overturn_members: the next piece of a list, at most `limit` decisions looked at; whether there is more.
SELECT gather_bulk_overturn(%(bulk_id)s::bigint, %(limit)s::int) AS more;
