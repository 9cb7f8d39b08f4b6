// The program, a browser, and a page on it.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

export function startViewer(binary, args) {
  const child = spawn(binary, ["view", "--no-open", "--port", "0", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const address = new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      const found = text.match(/http:\/\/\S+/);
      if (found) resolve(found[0]);
    });
    child.on("exit", (code) => reject(new Error(`the viewer ended with ${code}`)));
  });
  return { address, stop: () => child.kill() };
}

export async function startBrowser() {
  const profile = mkdtempSync(join(tmpdir(), "pliant-browser-"));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    userDataDir: profile,
    headless: true,
    args: [
      "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--no-first-run",
    ],
  });
  return {
    browser,
    stop: async () => {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
