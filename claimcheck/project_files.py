"""Project files: a project's rules in YAML, read safely and strictly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from claimcheck import errors, rules

LIMIT = 1 << 20  # bytes; rules are written by hand


class _Loader(yaml.SafeLoader):
    """Safe, and stricter: no key twice, no anchors (a few of them unfold into gigabytes)."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(None, None, "anchors are not taken here; write it out", self.peek_event().start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key, _ in node.value:
            name = (key.tag, getattr(key, "value", None)) if isinstance(key, yaml.ScalarNode) else None
            if name is None or name in seen or key.tag == "tag:yaml.org,2002:merge":
                raise yaml.MarkedYAMLError(None, None, "keys are plain text, each once", key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


def read(path: Path) -> rules.Rules:
    """The rules in a file. Raises Invalid that names the line, or each field and its fix."""
    data = path.read_bytes()
    if len(data) > LIMIT:
        raise errors.TooLarge(f"{path.name} has {len(data)} bytes; a project file has {LIMIT} at most")
    return parse(data)


def parse(data: bytes) -> rules.Rules:
    """As `read`, of the file's bytes."""
    return rules.parse(value(data))


def value(data: bytes) -> Any:
    """What stands in a YAML file. Raises Invalid that names the line."""
    try:
        return yaml.load(data.decode(), _Loader)  # noqa: S506 - a SafeLoader
    except UnicodeDecodeError as error:
        raise errors.Invalid.field(f"byte {error.start}", "is no UTF-8; save the file as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise errors.Invalid.field(f"line {line}", f"{error.problem}; a text that holds any of , ? : # {{ [ stands in quotes") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise errors.Invalid.field("file", f"can't be read as YAML: {str(error).splitlines()[0]}") from None
