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
    return Math.min(2, clientWidth / w, clientHeight / h) || 1;
  }

  place(scale) {
    const [w, h] = this.size().map((side) => Math.floor(side * scale)), { image, sheet } = this;
    sheet.style.width = `${w}px`, sheet.style.height = `${h}px`;
    image.style.width = `${this.turn % 2 ? h : w}px`, image.style.height = `${this.turn % 2 ? w : h}px`;
    image.style.transform = `translate(-50%, -50%) rotate(${90 * this.turn}deg)`;
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
