// Pictures of the page for people to look at: node shots.mjs BINARY FOLDER
import { mkdirSync } from "node:fs";
import { pause, startBrowser, startViewer } from "./browser.mjs";

const [binary, folder = "shots"] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const viewer = startViewer(binary, []);
const { browser, stop } = await startBrowser();
try {
  const address = await viewer.address;
  const looks = [["light", 1280, 800, "light", 1], ["dark", 1280, 800, "dark", 1], ["phone", 390, 844, "light", 2], ["phone-dark", 390, 844, "dark", 2]];
  for (const [name, width, height, scheme, deviceScaleFactor] of looks) {
    const page = await browser.newPage();
    page.on("console", (message) => console.log(name, message.text()));
    page.on("pageerror", (error) => console.log(name, "error", error.message));
    await page.setViewport({ width, height, deviceScaleFactor, hasTouch: name.startsWith("phone") });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.goto(address);
    await page.waitForFunction(() => window.pliant?.state.frame);
    await page.evaluate(() => window.pliant.send({ type: "restart" }));
    await pause(1500);
    await page.screenshot({ path: `${folder}/${name}.png` });
    if (name === "phone") {
      await page.click("#show-parameters");
      await pause(500);
      await page.screenshot({ path: `${folder}/${name}-parameters.png` });
    }
    await page.close();
  }
} finally {
  await stop();
  viewer.stop();
}
