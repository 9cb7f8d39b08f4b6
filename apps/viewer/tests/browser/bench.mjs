// Frames sent, received and drawn for 20,000 particles: node bench.mjs BINARY [SECONDS]
import { pause, startBrowser, startViewer } from "./browser.mjs";

const [binary, seconds = "5"] = process.argv.slice(2);
const changes = [
  "springs[0].grid.columns=142", "springs[0].grid.rows=141", "springs[0].total_mass=10", "time.integrator=velocity-verlet",
  "time.control.kind=fixed", "time.control.dt=1e-3", "time.until=1000",
];
const viewer = startViewer(binary, ["spring-net", ...changes.flatMap((change) => ["--set", change])]);
const { browser, stop } = await startBrowser();
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(await viewer.address);
  await page.waitForFunction(() => window.pliant?.renderer.drawn > 10, { timeout: 60000 });
  await page.evaluate(() => window.pliant.send({ type: "speed", factor: 0 }));
  const count = () =>
    page.evaluate(() => ({ sent: window.pliant.state.frame.sequence, received: window.pliant.state.received, drawn: window.pliant.renderer.drawn, at: performance.now() }));
  const before = await count();
  await pause(1000 * Number(seconds));
  const after = await count();
  const renderer = await page.evaluate(() => {
    const { gl } = window.pliant.renderer;
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    return gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  });
  const prepared = await page.evaluate(() => window.pliant.renderer.prepared);
  const rate = (key) => ((1000 * (after[key] - before[key])) / (after.at - before.at)).toFixed(1);
  console.log(`posted ${rate("sent")} /s, received ${rate("received")} /s, drawn ${rate("drawn")} /s, ${prepared.toFixed(1)} ms a frame before drawing (${renderer})`);
} finally {
  await stop();
  viewer.stop();
}
