"""How gunicorn serves the desk; the address comes from the command line."""

# Two processes, so that one which is replaced or busy with a page does not stop the other; threads wait for the database.
workers = 2
# Who sends slowly takes none of the threads.
worker_class = "claimcheck.embedded.serving.Worker"
threads = 8
timeout = 60
graceful_timeout = 20
keepalive = 5
# Whom to believe about the client's address is TRUSTED_PROXIES' matter alone.
forwarded_allow_ips = ""
control_socket_disable = True
