// Parts of an item under tabs: one is shown, the arrow keys and [ ] move between them. Without it all stand one below the other.
export function tabs() {
  const bar = document.getElementById("tabs");
  if (!bar) return;
  const all = [...bar.querySelectorAll("a")];
  const panel = (tab) => document.getElementById(tab.hash.slice(1));
  function select(tab) {
    for (const one of all) {
      one.ariaSelected = String(one === tab), one.tabIndex = one === tab ? 0 : -1;
      panel(one).hidden = one !== tab;
    }
    bar.parentElement.scrollTop = 0;
  }
  function move(by) {
    const now = all.findIndex((tab) => tab.ariaSelected === "true");
    select(all[(now + by + all.length) % all.length]);
    return document.querySelector('#tabs [aria-selected="true"]');
  }
  bar.role = "tablist";
  for (const tab of all) {
    tab.role = "tab", tab.setAttribute("aria-controls", panel(tab).id), panel(tab).role = "tabpanel";
    tab.addEventListener("click", (event) => { event.preventDefault(), select(tab); });
  }
  bar.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) event.preventDefault(), move(by).focus();
  });
  document.addEventListener("keydown", (event) => {
    const by = { "]": 1, "[": -1 }[event.key];
    const field = event.target.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");
    if (by && !field && !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector("dialog[open]")) move(by);
  });
  select(all[0]);
}
