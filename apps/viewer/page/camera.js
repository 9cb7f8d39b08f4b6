// A camera that turns about a point.

import { add, axes, lookAt, multiply, perspective, scale, subtract, dot } from "./matrix.js";

const FOV = (38 * Math.PI) / 180;
const STEEPEST = 1.54;

export class Camera {
  target = [0, 0, 0];
  distance = 3;
  yaw = 0.6;
  pitch = 0.32;
  width = 1;
  height = 1;
  // Parts of the window that panels cover, so that a fit puts the scene into what is left.
  covered = { left: 0, right: 0, top: 0, bottom: 0 };

  eye() {
    const flat = Math.cos(this.pitch) * this.distance;
    return add(this.target, [flat * Math.sin(this.yaw), this.distance * Math.sin(this.pitch), flat * Math.cos(this.yaw)]);
  }

  matrices() {
    const eye = this.eye();
    const frame = axes(eye, this.target);
    const view = lookAt(eye, frame);
    const { left, right, top, bottom } = this.covered;
    const projection = perspective(FOV, this.width / this.height, this.distance * 0.01, this.distance * 100);
    // The middle of what is not covered is the middle of the picture.
    projection[8] = -(left - right) / this.width;
    projection[9] = -(bottom - top) / this.height;
    return { eye, frame, view, projection, both: multiply(projection, view), pixel: (2 * Math.tan(FOV / 2)) / this.height };
  }

  turn(dx, dy) {
    this.yaw -= dx;
    this.pitch = Math.max(-STEEPEST, Math.min(STEEPEST, this.pitch + dy));
  }

  // Moves by pixels.
  pan(dx, dy) {
    const { frame: [right, up], pixel } = this.matrices();
    const by = pixel * this.distance;
    this.target = add(this.target, add(scale(right, -dx * by), scale(up, dy * by)));
  }

  zoom(factor) {
    this.distance = Math.max(1e-4, Math.min(1e6, this.distance * factor));
  }

  fit(low, high) {
    const size = Math.max(Math.hypot(...subtract(high, low)), 1e-3);
    this.target = scale(add(low, high), 0.5);
    const { left, right, top, bottom } = this.covered;
    const wide = Math.max(this.width - left - right, 80) / this.height;
    const tall = Math.max(this.height - top - bottom, 80) / this.height;
    this.distance = (0.57 * size) / Math.tan(FOV / 2) / Math.min(wide, tall);
  }

  // Where a point is on the page (pixels) and how far in front of the eye.
  project(both, x, y, z) {
    const w = both[3] * x + both[7] * y + both[11] * z + both[15];
    const px = (both[0] * x + both[4] * y + both[8] * z + both[12]) / w;
    const py = (both[1] * x + both[5] * y + both[9] * z + both[13]) / w;
    return [(px * 0.5 + 0.5) * this.width, (0.5 - py * 0.5) * this.height, w];
  }

  // The point under the pointer in the plane through `through` that faces the eye.
  unproject(px, py, through) {
    const { eye, frame: [right, up, back], projection } = this.matrices();
    const depth = dot(subtract(eye, through), back);
    const x = ((px / this.width) * 2 - 1 + projection[8]) / projection[0];
    const y = (1 - (py / this.height) * 2 + projection[9]) / projection[5];
    return add(eye, add(scale(right, x * depth), add(scale(up, y * depth), scale(back, -depth))));
  }
}
