import { Viewer } from "./viewer.js";

class ImageViewer extends Viewer {
  start() {
    this.image = this.querySelector("img");
    if (this.image.complete) this.arrived();
    this.image.addEventListener("load", () => this.arrived());
    this.image.addEventListener("error", () => this.broken());
    this.show();
  }

  // The header's numbers hold until the picture is here: a camera's orientation swaps them.
  size() {
    const { naturalWidth, naturalHeight } = this.image;
    const [w, h] = naturalWidth ? [naturalWidth, naturalHeight] : [Number(this.dataset.width), Number(this.dataset.height)];
    return this.turn % 2 ? [h, w] : [w, h];
  }

  fitted() {
    const [w, h] = this.size(), { clientWidth, clientHeight } = this.stage;
    return Math.min(clientWidth / w, clientHeight / h) || 1;
  }

  // Fitted and upright, the style sheet alone places the picture: with script and without, nothing moves.
  place(scale) {
    const { image, sheet, turn } = this;
    sheet.style.cssText = image.style.cssText = "";
    if (this.scale === null && turn === 0) return;
    const [w, h] = this.size().map((side) => Math.floor(side * scale)), [width, height] = turn % 2 ? [h, w] : [w, h];
    Object.assign(sheet.style, { width: `${w}px`, height: `${h}px` });
    Object.assign(image.style, { inset: "50% auto auto 50%", width: `${width}px`, height: `${height}px`, transform: `translate(-50%, -50%) rotate(${90 * turn}deg)` });
  }

  arrived() {
    if (this.image.naturalWidth) this.show();
    else this.broken();
  }

  broken() {
    this.querySelector("[data-broken]").hidden = false;
  }
}

customElements.define("payload-image", ImageViewer);
