// The page in a real browser: node test.mjs BINARY
// Each check prints a line; the first that fails ends the run with an error.

import assert from "node:assert/strict";
import { request } from "node:http";
import { pause, startBrowser, startViewer } from "./browser.mjs";

const [binary] = process.argv.slice(2);
const WAIT = { timeout: 60000, polling: 50 };
const viewer = startViewer(binary, ["spring-net"]);
const { browser, stop } = await startBrowser();
const errors = [];
const said = (text) => console.log(`ok: ${text}`);

async function open(address) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(address);
  await page.waitForFunction(() => window.pliant?.state.frame && window.pliant.renderer.drawn > 1, WAIT);
  return page;
}

// How many different colours the middle of the view holds.
const colours = (page) =>
  page.evaluate(() => {
    const { renderer, camera } = window.pliant;
    renderer.draw(camera);
    const { gl, canvas } = renderer;
    const [width, height] = [Math.floor(canvas.width / 2), Math.floor(canvas.height / 2)];
    const pixels = new Uint8Array(4 * width * height);
    gl.readPixels(width / 2, height / 2, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return new Set(new Uint32Array(pixels.buffer)).size;
  });

const get = (address, headers) =>
  new Promise((resolve, reject) => request(address, { headers }, (answer) => resolve(answer.statusCode)).on("error", reject).end());

try {
  const address = await viewer.address;
  let page = await open(address);
  const seen = await colours(page);
  assert.ok(seen > 200, `only ${seen} colours`);
  said(`the net is drawn (${seen} colours)`);

  const time = () => page.evaluate(() => window.pliant.state.frame.time);
  const later = (than) => page.waitForFunction((t) => window.pliant.state.frame.time > t, WAIT, than);
  await later((await time()) + 0.1);
  said("it plays");

  // A page that is busy for long gets few frames, but every step: each begins where the one before it ended.
  await page.evaluate(() => {
    const until = performance.now() + 1500;
    while (performance.now() < until);
  });
  await later((await time()) + 0.1);
  const { time: ends, dt: lengths } = await page.evaluate(() => window.pliant.plots.steps);
  const holes = ends.slice(1).filter((end, k) => end - lengths[k + 1] > ends[k] + 1e-9);
  assert.ok(ends.length > 50 && holes.length === 0, `${holes.length} holes in ${ends.length} steps, before ${holes} s`);
  said(`${ends.length} steps are plotted without a hole, though the page stood still for 1.5 s`);
  await page.focus("#view");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.pliant.state.status.playing === false, WAIT);
  await pause(300);
  const held = await time();
  await pause(500);
  assert.equal(await time(), held);
  await page.keyboard.press(".");
  await later(held);
  await page.keyboard.press("r");
  await page.waitForFunction(() => window.pliant.state.frame.time === 0, WAIT);
  await page.keyboard.press("Space");
  await later(0.02);
  said("keys pause, step, restart and play");

  // Drag the particle in the middle upwards.
  const where = () =>
    page.evaluate(() => {
      const { camera, renderer } = window.pliant;
      const p = renderer.positions.subarray(3 * 210, 3 * 210 + 3);
      return { pixel: camera.project(camera.matrices().both, ...p), place: [...p] };
    });
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.pliant.state.status.playing === false, WAIT);
  await pause(200);
  const before = await where();
  await page.mouse.move(before.pixel[0], before.pixel[1]);
  await page.mouse.down();
  const grabbed = await page.evaluate(() => window.pliant.renderer.held?.particle);
  assert.ok(grabbed !== undefined, "nothing was grabbed");
  await page.mouse.move(before.pixel[0], before.pixel[1] - 150, { steps: 5 });
  await page.evaluate(() => window.pliant.send({ type: "play" }));
  await page.waitForFunction(
    ({ particle, y }) => window.pliant.renderer.positions[3 * particle + 1] > y,
    WAIT,
    { particle: grabbed, y: before.place[1] + 0.08 },
  );
  await page.mouse.up();
  assert.equal(await page.evaluate(() => window.pliant.renderer.held), null);
  said(`particle ${grabbed} follows the mouse`);

  // A hundred times smaller tolerance: much smaller steps.
  const dt = () => page.evaluate(() => window.pliant.state.frame.dt);
  await later((await time()) + 0.1);
  const long = await dt();
  const field = await page.$('[data-path="time.control.tolerance"]');
  await field.click({ clickCount: 3 });
  await field.type("10 um");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => Math.abs(window.pliant.state.frame.tolerance - 1e-5) < 1e-12, WAIT);
  await page.waitForFunction((old) => window.pliant.state.frame.dt < 0.6 * old, WAIT, long);
  said(`a smaller tolerance makes smaller steps (${long.toExponential(2)} s, then ${(await dt()).toExponential(2)} s)`);
  const command = await page.$eval("#command", (node) => node.textContent);
  assert.equal(command, `pliant run spring-net --set 'time.control.tolerance="10 um"'`);
  const listed = await page.$$eval("#changes li", (rows) => rows.map((row) => row.textContent));
  assert.match(listed.join("|"), /^\d+\.\d{3} s time\.control\.tolerance="10 um"$/);
  await browser.defaultBrowserContext().overridePermissions(new URL(address).origin, ["clipboard-read", "clipboard-write"]);
  await page.click("#copy");
  await page.waitForFunction(() => document.getElementById("copy").textContent === "Copied", WAIT);
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
  said(`the change is listed (${listed[0]}) and its command copied`);
  await field.click({ clickCount: 3 });
  await field.type("-3");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !document.getElementById("refusal").hidden, WAIT);
  said(`nonsense is refused: ${await page.$eval("#refusal span", (node) => node.textContent)}`);

  await page.select("#scene", "pendulum");
  await page.waitForFunction(() => window.pliant.state.scene.name === "pendulum" && window.pliant.state.frame, WAIT);
  await page.evaluate(() => window.pliant.send({ type: "pause" }));
  await page.waitForFunction(() => window.pliant.state.status.playing === false && window.pliant.renderer.count === 1, WAIT);
  await pause(300);
  const bob = await page.evaluate(() => {
    const { camera, renderer } = window.pliant;
    const p = renderer.positions;
    return { place: [...p], pixel: camera.project(camera.matrices().both, ...p), up: camera.project(camera.matrices().both, p[0], 0, p[2]) };
  });
  assert.ok(Math.abs(Math.hypot(...bob.place) - 1) < 1e-6, `the bob is at ${bob.place}`);
  await page.mouse.move(bob.pixel[0], bob.pixel[1]);
  await page.mouse.down();
  assert.equal(await page.evaluate(() => window.pliant.renderer.held?.particle), 0);
  await page.mouse.move(bob.up[0], bob.up[1], { steps: 5 });
  await page.evaluate(() => ["play", "speed"].forEach((type) => window.pliant.send(type === "speed" ? { type, factor: 4 } : { type })));
  await page.waitForFunction((y) => window.pliant.renderer.positions[1] > y, WAIT, bob.place[1] + 0.1);
  await page.mouse.up();
  await page.evaluate(() => window.pliant.send({ type: "speed", factor: 1 }));
  said(`a pendulum hangs at ${bob.place.map((x) => x.toFixed(3))} and follows the mouse`);

  // A frame of the scene is in the view, not one of the scene before.
  const shown = (name) =>
    page.waitForFunction(
      (wanted) => {
        const { scene, fitted } = window.pliant.state;
        return scene.name === wanted && fitted === scene.generation;
      },
      WAIT,
      name,
    );
  await page.select("#scene", "liver");
  await shown("liver");
  const liver = await page.evaluate(() => {
    const { renderer } = window.pliant;
    const vertices = renderer.normals.length / 3 - renderer.count;
    const lowest = renderer.triangles.reduce((least, corner) => Math.min(least, corner), Infinity);
    return { vertices, lowest, particles: renderer.count, triangles: renderer.triangles.length / 3 };
  });
  assert.ok(liver.vertices > 2 * liver.particles && liver.triangles > liver.vertices, JSON.stringify(liver));
  assert.equal(liver.lowest, liver.particles, "only the skin is drawn");
  const smooth = await colours(page);
  assert.ok(smooth > 200, `only ${smooth} colours`);
  said(`a solid is drawn with its skin: ${liver.vertices} vertices on ${liver.particles} particles (${smooth} colours)`);

  await page.select("#scene", "cloth-on-sphere");
  await shown("cloth-on-sphere");
  const paint = await page.evaluate(() => [...window.pliant.state.topology.paints.subarray(0, 3)]);
  assert.deepEqual(paint, [226, 92, 71], "the first body is red, as it is in pictures");
  const ball = await page.evaluate(() => {
    const { camera, renderer } = window.pliant;
    renderer.draw(camera);
    const { gl, canvas } = renderer;
    // Below the middle of the ball, where the sheet above it does not hide it.
    const [x, y] = camera.project(camera.matrices().both, 0.05, -0.1, 0.28);
    const scale = canvas.height / camera.height;
    const pixel = new Uint8Array(4);
    gl.readPixels(Math.round(x * scale), Math.round(canvas.height - y * scale), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return { count: renderer.solids.list.length, pixel: [...pixel] };
  });
  assert.equal(ball.count, 1);
  assert.ok(ball.pixel[0] > ball.pixel[2] + 8 && ball.pixel[0] < ball.pixel[2] + 50, `the ball is not of clay: ${ball.pixel}`);
  said(`a collider is drawn (${ball.pixel})`);

  await page.select("#scene", "spring-chain");
  await page.waitForFunction(() => window.pliant.state.scene.name === "spring-chain" && window.pliant.state.frame?.time > 0.02, WAIT);
  assert.ok((await colours(page)) > 20);
  said("another scene");

  await page.reload();
  await page.waitForFunction(() => window.pliant?.state.frame && window.pliant.state.scene.name === "spring-chain", WAIT);
  said("a reload finds the same run");

  const received = await page.evaluate(() => {
    window.pliant.link.drop();
    return window.pliant.state.received;
  });
  await page.waitForFunction((count) => window.pliant.state.received > count + 3 && document.getElementById("connection").dataset.state === "live", WAIT, received);
  said("a dropped connection comes back");

  const { host } = new URL(address);
  assert.equal(await get(`http://${host}/`, {}), 403);
  assert.equal(await get(address, { Host: "evil.example" }), 403);
  assert.equal(await get(address, { Origin: "http://evil.example" }), 403);
  const stranger = await browser.newPage();
  await stranger.goto("data:text/html,<p>another site");
  const admitted = await stranger.evaluate(
    (url) => new Promise((resolve) => {
      const socket = new WebSocket(url);
      socket.onopen = () => resolve(true);
      socket.onerror = () => resolve(false);
    }),
    address.replace("http", "ws") + "live",
  );
  assert.equal(admitted, false);
  said("no token, another host, another origin: refused");

  assert.deepEqual(errors.filter((text) => !text.includes("WebSocket")), []);
  said("no errors on the page");
} catch (error) {
  console.error(errors.join("\n"));
  throw error;
} finally {
  await stop();
  viewer.stop();
}
