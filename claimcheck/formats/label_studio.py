"""Items and outcomes as Label Studio has them: tasks with annotations, and the labelling configuration that they go with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol
from xml.sax.saxutils import quoteattr

from claimcheck import canonical
from claimcheck.formats.tables import Item
from claimcheck.questions import Grade, Verdict
from claimcheck.rules import Rules

ANSWER, REASON, NOTE = "answer", "reason", "note"  # the names of our controls
FIRST = "field1"  # the object that annotations are of


class Decided(Item, Protocol):
    """An item with the number of whoever decided it."""

    @property
    def decided_by_id(self) -> int | None: ...


def config(rules: Rules, fields: list[str]) -> str:
    """The labelling configuration, XML."""
    objects = [f"  <Text name={quoteattr(f'field{n}')} value={quoteattr(f'${name}')}/>" for n, name in enumerate(fields or ["files"], 1)]
    reasons = [f"    <Choice value={quoteattr(reason.code)}/>" for reason in rules.reason_codes]
    return "\n".join(
        ["<View>", f"  <Header value={quoteattr(rules.question.text)}/>", *objects, *_control(rules),
         f'  <Choices name="{REASON}" toName="{FIRST}" choice="single">', *reasons, "  </Choices>",
         f'  <TextArea name="{NOTE}" toName="{FIRST}"/>', "</View>", ""]
    )  # fmt: skip


def _control(rules: Rules) -> list[str]:
    question = rules.question
    if isinstance(question, Grade):
        return [f'  <Number name="{ANSWER}" toName="{FIRST}" min="{question.min}" max="{question.max}"/>']
    values = ["approve", "reject"] if isinstance(question, Verdict) else [option.value for option in question.options]
    many = "multiple" if question.ask == "choices" else "single"
    choices = [f"    <Choice value={quoteattr(value)}/>" for value in values]
    return [f'  <Choices name="{ANSWER}" toName="{FIRST}" choice="{many}">', *choices, "  </Choices>"]


def written(rows: Iterable[tuple[Decided, dict[str, Any]]], rules: Rules, fields: list[str]) -> Iterator[bytes]:
    """A list of tasks, one a line."""
    yield b"["
    for n, (row, payload) in enumerate(rows):
        yield (b",\n" if n else b"\n") + canonical.encode(_task(row, payload, rules, fields), sort_keys=False)
    yield b"\n]\n"


def _task(row: Decided, payload: dict[str, Any], rules: Rules, fields: list[str]) -> dict[str, Any]:
    data = {name: payload.get(name, "") for name in fields} if fields else {"files": "; ".join(row.files)}
    meta = {"idempotency_key": row.idempotency_key, "evidence_version": row.version, "files": row.files}
    outcome = row.decided()
    annotations = [_annotation(row, outcome, rules)] if outcome else []
    return {"id": row.item_id, "data": data, "meta": meta, "annotations": annotations, "predictions": []}


def _annotation(row: Decided, outcome: dict[str, Any], rules: Rules) -> dict[str, Any]:
    value = outcome["answer"] if outcome["answer"] is not None else outcome["outcome"]
    grade = isinstance(rules.question, Grade) and outcome["answer"] is not None
    answer = ("number", {"number": value}) if grade else ("choices", {"choices": value if isinstance(value, list) else [value]})
    said = [(ANSWER, *answer), (REASON, "choices", {"choices": [outcome["reason_code"]]})]
    said += [(NOTE, "textarea", {"text": [outcome["note"]]})] if outcome["note"] else []
    return {
        "id": outcome["decision_id"],
        "completed_by": {"id": row.decided_by_id, "email": outcome["decided_by"]},
        "created_at": outcome["decided_at"],
        "updated_at": outcome["decided_at"],
        "was_cancelled": False,
        "ground_truth": False,
        "result": [{"id": f"{row.item_id}-{name}", "from_name": name, "to_name": FIRST, "type": kind, "value": given} for name, kind, given in said],
    }
