"""How much of a payload one screen carries. Bytes unless the name says otherwise; the rest is a download."""

KIB = 1024
MIB = 1024 * KIB

HEAD = 4 * KIB
TEXT = 256 * KIB
JSON = MIB
TABLE = 256 * KIB
HTML = MIB
IMAGE = 16 * MIB
PDF = 32 * MIB
PART = 100 * MIB

NAME_CHARACTERS = 200
LINES = 4_000
LINE_CHARACTERS = 4_000
VALUE_CHARACTERS = 64_000
FOLD_CHARACTERS = 600
PREVIEW_CHARACTERS = 160
MARKS = 500

JSON_DEPTH = 20
JSON_VALUES = 2_000
GRID_COLUMNS = 12

TABLE_COLUMNS = 60
TABLE_CELLS = 10_000
TABLE_ROWS = 500
CELL_CHARACTERS = 300

# A browser holds four bytes a pixel: this is 320 MB at most, a double-sided A3 scan at 600 dpi.
IMAGE_PIXELS = 80_000_000
IMAGE_SIDE = 20_000
