// What pictures and PDFs have in common: a stage that scrolls, a scale, a turn, the buttons and the keys.
const STEP = 1.25, LEAST = 0.05, MOST = 16;

export class Viewer extends HTMLElement {
  scale = null;   // null: fitted to the stage
  turn = 0;
  anchor = { x: 0.5, y: 0.5 };

  connectedCallback() {
    this.stage = this.querySelector(".p-stage"), this.sheet = this.querySelector(".p-sheet"), this.output = this.querySelector("output");
    this.addEventListener("click", (event) => this.do(event.target.closest("[data-do]")?.dataset.do));
    this.stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.stage.addEventListener("pointerdown", (event) => this.grab(event));
    this.resized = new ResizeObserver(() => this.scale === null && this.show());
    this.resized.observe(this.stage);
    this.start();
  }

  disconnectedCallback() {
    this.resized.disconnect();
  }

  // Each key and button by name. True where something was done.
  do(what) {
    const act = this.acts[what];
    if (act) act(), this.show();
    return Boolean(act);
  }

  acts = {
    in: () => this.zoom(STEP),
    out: () => this.zoom(1 / STEP),
    fit: () => { this.scale = null; },
    actual: () => { this.scale = 1; },
    right: () => { this.turn = (this.turn + 1) % 4; },
    left: () => { this.turn = (this.turn + 3) % 4; },
  };

  zoom(by) {
    this.scale = Math.min(MOST, Math.max(LEAST, (this.scale ?? this.fitted()) * by));
  }

  // Draws at the scale in force, and keeps there what stood at the anchor, a point of the stage.
  show() {
    const { stage, anchor } = this, scale = this.scale ?? this.fitted();
    const x = (stage.scrollLeft + anchor.x * stage.clientWidth) / stage.scrollWidth, y = (stage.scrollTop + anchor.y * stage.clientHeight) / stage.scrollHeight;
    this.toggleAttribute("data-fitted", this.scale === null);
    this.place(scale);
    stage.scrollLeft = x * stage.scrollWidth - anchor.x * stage.clientWidth, stage.scrollTop = y * stage.scrollHeight - anchor.y * stage.clientHeight;
    this.output.value = `${Math.round(100 * scale)} %`;
    this.querySelector("[data-do=fit]").setAttribute("aria-pressed", this.scale === null);
  }

  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault(), this.do(event.deltaY < 0 ? "in" : "out");
  }

  // Dragging moves the sheet. The stage does not take the focus: the verdict's keys stay where they are.
  grab(event) {
    const { stage } = this, onScrollbar = event.offsetX > stage.clientWidth || event.offsetY > stage.clientHeight;
    if (event.button !== 0 || event.pointerType === "touch" || onScrollbar) return;
    event.preventDefault(), stage.setPointerCapture(event.pointerId);
    const move = ({ movementX, movementY }) => stage.scrollBy(-movementX, -movementY);
    stage.addEventListener("pointermove", move);
    stage.addEventListener("lostpointercapture", () => stage.removeEventListener("pointermove", move), { once: true });
  }
}
