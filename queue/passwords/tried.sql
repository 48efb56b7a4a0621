-- login_attempts: failures lately, under this name and from this address.
SELECT (SELECT count(*) FROM login_attempts WHERE NOT ok AND email = %(email)s::text AND at > clock_timestamp() - make_interval(secs => %(seconds)s::int))::int AS by_email,
       (SELECT count(*) FROM login_attempts WHERE NOT ok AND address = %(address)s::inet AND at > clock_timestamp() - make_interval(secs => %(seconds)s::int))::int AS by_address;
