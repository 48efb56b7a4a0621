// Keys of the viewers, only while no text field has the focus. On a stage that has it every key works; elsewhere
// only those that the page has not given to a verdict or a reason.
const KEYS = { "+": "in", "=": "in", "-": "out", "r": "right", "R": "left", "0": "fit", "1": "actual", "PageDown": "next", "PageUp": "previous" };
const ANYWHERE = new Set(["+", "=", "-", "r", "R"]);
const TEXT = "textarea, select, input:not([type=radio], [type=checkbox], [type=submit], [type=button])";

let last = null;
for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, ({ target }) => { last = target.closest?.(".p-viewer") ?? last; });

const visible = (viewer) => viewer.checkVisibility();
const current = () => (last?.isConnected && visible(last) ? last : [...document.querySelectorAll(".p-viewer")].find(visible));
const taken = (key) => document.querySelector(`[data-key="${CSS.escape(key.toLowerCase())}"]`);

function pressed(event) {
  const { target, key } = event, what = KEYS[key];
  if (!what || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (target.matches?.(TEXT) || target.isContentEditable) return;
  const viewer = target.closest?.(".p-viewer") ?? (ANYWHERE.has(key) && !taken(key) ? current() : null);
  if (viewer?.do?.(what)) event.preventDefault(), event.stopPropagation();
}
document.addEventListener("keydown", pressed, { capture: true });

// A click into a frame would take the keys away from the page; reading it with the wheel needs no focus. Tab still enters it.
let tabbed = 0;
document.addEventListener("keydown", (event) => { if (event.key === "Tab") tabbed = performance.now(); }, { capture: true });
addEventListener("blur", () => setTimeout(() => {
  const frame = document.activeElement;
  if (frame?.matches?.(".p iframe") && performance.now() - tabbed > 300) frame.blur(), window.focus();
}));
