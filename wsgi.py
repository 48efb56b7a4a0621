"""What the WSGI server runs: `gunicorn wsgi:app`."""

from app import create_app

app = create_app()
