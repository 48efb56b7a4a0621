// A PDF is drawn in a frame without origin (frames/pdf.js). This side fetches the bytes, hands them over, and keeps the
// buttons, the keys and the scrolling: the frame takes neither the pointer nor the focus.
import { fit, layout } from "/frames/assets/layout.js";
import { Viewer } from "./viewer.js";

const PATIENCE_MS = 20_000, MOST_PAGES = 300;
const REASONS = {
  locked: "This PDF is locked with a password, so it is offered as a file.",
  damaged: "This PDF cannot be read, so it is offered as a file.",
  slow: "This PDF takes too long to draw, so it is offered as a file.",
  fetch: "The file could not be fetched. Reload the page to try again.",
};
const side = (n) => Number.isFinite(n) && n >= 1 && n <= 40_000;

class PdfViewer extends Viewer {
  sizes = [];
  anchor = { x: 0.5, y: 0 };

  start() {
    this.frame = this.querySelector("iframe"), this.where = this.querySelector("[data-page]");
    this.hear = (event) => event.source === this.frame?.contentWindow && event.data?.claimcheck === "pdf" && this.heard(event.data);
    addEventListener("message", this.hear);
    this.stage.addEventListener("scroll", () => this.tellPage(), { passive: true });
    this.near = new IntersectionObserver((entries) => { this.seen = entries.at(-1).isIntersecting, this.seen && this.look(); });
    this.near.observe(this.stage);
  }

  // Begins when it is first seen: a PDF behind a closed tab, or far below, is neither fetched nor put on record.
  look() {
    if (!this.begun) this.begun = true, this.tell({ type: "hello" });
    if (!("drawn" in this.dataset)) this.wait();
  }

  // Patience runs only while somebody looks: a frame out of sight draws nothing.
  wait() {
    clearTimeout(this.late), this.late = setTimeout(() => (this.seen && !document.hidden ? this.fail("slow") : this.wait()), PATIENCE_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback(), this.near.disconnect(), removeEventListener("message", this.hear), clearTimeout(this.late);
  }

  tell(message, transfer = []) {
    this.frame?.contentWindow?.postMessage({ claimcheck: "pdf", ...message }, "*", transfer);   // its origin has no name
  }

  // Whatever the frame says is a claim by the document inside it: known kinds and bounded numbers only.
  heard({ type, sizes, total, reason }) {
    if (type === "ready" && this.begun) this.send();
    if (type === "pages") this.open(sizes, total);
    if (type === "drawn" || type === "blank") clearTimeout(this.late), this.dataset.drawn = "";
    if (type === "failed") this.fail(reason === "locked" ? "locked" : "damaged");
  }

  async send() {
    if (this.sent) return;
    this.sent = true;
    try {
      const answer = await fetch(this.dataset.src, { headers: { Accept: "application/octet-stream" } });
      if (!answer.ok || answer.redirected) throw new Error(answer.status);
      const bytes = await answer.arrayBuffer();
      this.tell({ type: "open", bytes }, [bytes]);
    } catch {
      this.fail("fetch");
    }
  }

  open(sizes, total) {
    if (!Array.isArray(sizes) || !sizes.length || sizes.length > MOST_PAGES || !sizes.every((size) => side(size?.[0]) && side(size?.[1]))) return this.fail("damaged");
    this.sizes = sizes.map(([w, h]) => [w, h]), this.total = Number.isSafeInteger(total) ? total : sizes.length;
    this.dataset.pages = this.sizes.length, this.show();
    if (this.total > sizes.length) this.querySelector("[data-more]").hidden = false;
  }

  fail(why) {
    clearTimeout(this.late), this.near.disconnect(), this.frame?.remove(), this.frame = null, this.sizes = [];
    const words = this.querySelector("[data-broken]");
    words.querySelector("[data-why]").textContent = REASONS[why], words.hidden = false, this.dataset.failed = why;
  }

  fitted() {
    return this.sizes.length ? fit(this.sizes, this.turn, this.stage.clientWidth) : 1;
  }

  place(scale) {
    const room = this.stage.clientWidth;
    if (!room || !this.sizes.length) return;
    this.laid = layout(this.sizes, scale, this.turn, room);
    for (const style of [this.sheet.style, this.frame.style]) style.width = `${this.laid.width}px`, style.height = `${this.laid.height}px`;
    this.tell({ type: "show", sizes: this.sizes, scale, turn: this.turn, room }), this.tellPage();
  }

  page() {
    const line = this.stage.scrollTop + this.stage.clientHeight / 3;
    return Math.max(0, this.laid.pages.findLastIndex(({ top }) => top <= line));
  }

  tellPage() {
    if (this.laid) this.where.textContent = `${this.page() + 1} / ${this.total}`;
  }

  turnTo(index) {
    const page = this.laid?.pages[Math.min(this.sizes.length - 1, Math.max(0, index))];
    if (page) this.stage.scrollTop = page.top - 12;
  }

  do(what) {
    const steps = { next: 1, previous: -1 };
    if (!(what in steps)) return super.do(what);
    this.turnTo(this.page() + steps[what]);
    return true;
  }
}

customElements.define("payload-pdf", PdfViewer);
