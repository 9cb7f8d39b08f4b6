// Pictures of the page for people to look at: node shots.mjs BINARY FOLDER [docs]
// With `docs` only light.png is made; the one in the README is made so, from the repository's root:
//   cargo build --release && node apps/viewer/tests/browser/shots.mjs target/release/pliant shots docs && cp shots/light.png docs/gallery/viewer.png
import { mkdirSync } from "node:fs";
import { pause, startBrowser, startViewer } from "./browser.mjs";

const [binary, folder = "shots", only = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const viewer = startViewer(binary, []);
const { browser, stop } = await startBrowser();
const WAIT = { timeout: 60000, polling: 50 };

const LAPTOP = { width: 1280, height: 800, deviceScaleFactor: 1 };
// A little smaller, so that the file stays below 400 KB.
const DOCS = { width: 1200, height: 700, deviceScaleFactor: 1 };
const PHONE = { width: 390, height: 844, deviceScaleFactor: 2, hasTouch: true };
const open = async (address, name, viewport, scheme) => {
  const page = await browser.newPage();
  page.on("console", (message) => console.log(name, message.text()));
  page.on("pageerror", (error) => console.log(name, "error", error.message));
  await page.setViewport(viewport);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(address);
  await page.waitForFunction(() => window.pliant?.state.frame, WAIT);
  return page;
};
const send = (page, message) => page.evaluate((text) => window.pliant.send(text), message);
// Drawing without a graphics card is slow: at a twentieth of the speed the moment is the one wanted.
const at = async (page, time) => {
  await send(page, { type: "speed", factor: 0.05 });
  await send(page, { type: "restart" });
  await page.waitForFunction((t) => window.pliant.state.frame?.time < t, WAIT, time / 2);
  await send(page, { type: "play" });
  await page.waitForFunction((t) => window.pliant.state.frame?.time >= t, WAIT, time);
  await send(page, { type: "pause" });
  await send(page, { type: "speed", factor: 1 });
};
const shoot = async (page, name) => {
  await pause(400);
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(`${folder}/${name}.png`);
};

try {
  const address = await viewer.address;
  let page = await open(address, "light", only === "docs" ? DOCS : LAPTOP, "light");
  await at(page, 0.35);
  await shoot(page, "light");
  await page.close();
  if (only !== "docs") {
    for (const [name, viewport, scheme] of [["dark", LAPTOP, "dark"], ["phone", PHONE, "light"], ["phone-dark", PHONE, "dark"]]) {
      page = await open(address, name, viewport, scheme);
      await at(page, 0.5);
      await shoot(page, name);
      if (name === "phone") {
        for (const panel of ["parameters", "plots", "help"]) {
          await page.click(`#show-${panel}`);
          await shoot(page, `phone-${panel}`);
        }
      }
      await page.close();
    }
    page = await open(address, "scenes", LAPTOP, "light");
    for (const scene of ["pendulum", "spring-chain", "orbiting-ball", "nonlinear-spring"]) {
      await page.select("#scene", scene);
      await page.waitForFunction((name) => window.pliant.state.scene.name === name && window.pliant.state.frame, WAIT, scene);
      await at(page, scene === "nonlinear-spring" ? 0.05 : 0.7);
      await shoot(page, scene);
    }
    await page.select("#scene", "spring-net");
    await page.waitForFunction(() => window.pliant.state.scene.name === "spring-net" && window.pliant.state.frame, WAIT);
    await send(page, { type: "speed", factor: 1 });
    await page.waitForFunction(() => window.pliant.state.frame?.time > 0.5, WAIT);
    await send(page, { type: "set", path: "springs[0].stiffness", value: 200 });
    await send(page, { type: "set", path: "world.gravity", value: [0, -20, 0] });
    await page.waitForFunction(() => document.querySelectorAll("#changes li").length === 2, WAIT);
    await page.evaluate(() => document.getElementById("changes").scrollIntoView());
    await shoot(page, "changes");
    await page.click("#show-help");
    await shoot(page, "help");
    await page.click("#show-help");
    for (const [path, value] of [["time.control.kind", "fixed"], ["time.integrator", "explicit-euler"], ["time.control.dt", 0.01]]) {
      await send(page, { type: "set", path, value });
    }
    await send(page, { type: "speed", factor: 0 });
    await page.waitForFunction(() => !document.getElementById("failure").hidden, WAIT);
    await shoot(page, "failure");
  }
} finally {
  await stop();
  viewer.stop();
}
