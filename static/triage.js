// The list of items: a quick view beside it, keys that go up and down, and rows that follow what colleagues do. Without it every part has an address of its own.
const table = document.getElementById("items"), beside = document.getElementById("beside"), form = document.getElementById("act");
const rows = () => [...(table?.querySelectorAll("tr[data-item]") ?? [])];
const current = () => rows().find((row) => row.classList.contains("current"));
const typing = (element) => Boolean(element?.closest?.("textarea, select, [contenteditable], input:not([type=checkbox])"));
let asked = 0;

// --- The quick view: facts of the row that is current. ---
async function look(row, keep = false) {
  for (const other of rows()) other.classList.toggle("current", other === row);
  row.scrollIntoView({ block: "nearest" });
  const link = row.querySelector("[data-beside]"), mine = ++asked;
  if (!keep) history.replaceState(null, "", link.href.split("#")[0]);
  beside.hidden = false, beside.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(link.dataset.beside, { headers: { "HX-Request": "true" } });
    if (mine !== asked) return;   // another row is current by now
    if (answer.status === 401) return location.reload();
    beside.innerHTML = answer.ok ? await answer.text() : "<p class='card'>The desk does not answer. Try again in a moment.</p>";
  } catch { if (mine === asked) beside.innerHTML = "<p class='card'>No connection. Try again in a moment.</p>"; }
  beside.removeAttribute("aria-busy");
  document.dispatchEvent(new Event("htmx:after:swap"));   // times and notices are read anew
}
function close() {
  asked += 1;
  const row = current(), here = new URL(location.href);
  here.searchParams.delete("look"), history.replaceState(null, "", here.pathname + here.search);
  row?.classList.remove("current"), row?.querySelector("[data-beside]").focus({ preventScroll: true });
  beside.hidden = true, beside.replaceChildren();
}
function move(by) {
  const all = rows(), at = all.indexOf(current());
  const next = at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[at + by];
  if (next) look(next);
}
table?.addEventListener("click", (event) => {
  const link = event.target.closest("[data-beside]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) event.preventDefault(), look(link.closest("tr"));
});
beside.addEventListener("click", (event) => { if (event.target.closest("[data-close]")) event.preventDefault(), close(); });
function pressed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || document.querySelector("dialog[open], details.menu[open]")) return;
  const open = !beside.hidden, by = { j: 1, k: -1, ...(open && { ArrowDown: 1, ArrowUp: -1 }) }[event.key];
  if (by) event.preventDefault(), move(by);
  else if (event.key === "x" && current()) event.preventDefault(), current().querySelector("[name=item]")?.click();
  else if (event.key === "Escape" && open) event.preventDefault(), close();
}
const listen = () => document.addEventListener("keydown", pressed);   // after desk.js: what follows a G is its own
document.readyState === "complete" ? listen() : document.addEventListener("DOMContentLoaded", listen);

// --- Ticks: how many, also of those that a page before kept. ---
const boxes = () => rows().map((row) => row.querySelector("[name=item]")).filter(Boolean), all = table?.querySelector("[data-tick-all]");
const count = () => {
  const n = boxes().filter((box) => box.checked).length, to = form?.querySelector("[data-ticked]");
  if (to) to.textContent = n ? ` (${n})` : "";
  if (all) all.checked = n > 0 && n === boxes().length, all.indeterminate = n > 0 && !all.checked;
};
table?.addEventListener("change", (event) => { if (event.target === all) for (const box of boxes()) box.checked = all.checked; count(); });

// --- Where items stand, read anew: only cells that changed, never one that has the focus, a tick or a selection in it. ---
const chosen = (cell) => { const what = getSelection(); return !what.isCollapsed && cell.contains(what.getRangeAt(0).startContainer); };
async function follow() {
  if (document.hidden || !table) return;
  let text;
  try {
    const answer = await fetch(table.dataset.rows, { headers: { "HX-Request": "true" } });
    if (!answer.ok) return;
    text = await answer.text();
  } catch { return; }
  const fresh = document.createElement("tbody");
  fresh.innerHTML = text;
  for (const row of rows()) {
    const now = fresh.querySelector(`[data-item="${row.dataset.item}"]`);
    row.classList.toggle("gone", !now);
    for (const cell of now ? row.querySelectorAll("[data-live]") : []) {
      const to = now.querySelector(`[data-live="${cell.dataset.live}"]`);
      if (to && to.innerHTML !== cell.innerHTML && !cell.contains(document.activeElement) && !chosen(cell)) cell.innerHTML = to.innerHTML, row.classList.add("changed");
    }
  }
}
document.addEventListener("triage:follow", follow);
setInterval(follow, 20000), addEventListener("pageshow", count), count();
