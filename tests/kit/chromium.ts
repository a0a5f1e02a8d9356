import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** The shell without windows first: it draws the same in half the time. */
const names = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];
const elsewhere = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** One that can show notifications, which the shell cannot; undefined where there is none. */
export function findWholeChromium(): string | undefined {
  return findAmong(names.slice(1));
}

/** The machine's Chromium: what CHROMIUM_PATH names, else the first found; undefined where there is none. */
export function findChromium(): string | undefined {
  const named = process.env["CHROMIUM_PATH"];
  return named ? named : findAmong(names);
}

function findAmong(wanted: readonly string[]): string | undefined {
  const onPath = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => wanted.map((name) => join(folder, name)));
  return [...onPath, ...elsewhere].find((path) => existsSync(path));
}

export const chromiumMissing =
  "Browser tests are skipped: there is no Chromium here. Install it (Debian: apt-get install --no-install-recommends " +
  "chromium fonts-liberation), or name one in CHROMIUM_PATH.";

const usual = [
  // Containers often have a /dev/shm too small for a browser.
  "--disable-dev-shm-usage",
  // A test's pages live for seconds: to optimise their scripts takes an eighth of all the time, and is hardly ever worth it.
  "--js-flags=--no-opt --no-maglev --single-threaded-gc",
];

export function launchChromium(executablePath: string, args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...usual, ...args] });
}

let shared: Promise<Browser> | undefined;

/** The one of this worker, which each file leaves without profiles to the next, and which ends with the worker. */
export async function sharedChromium(executablePath: string): Promise<Browser> {
  const before = await shared?.catch(() => undefined);
  if (before?.isConnected()) return before;
  shared = chromium.launch({ executablePath, args: usual, handleSIGTERM: false });
  // Playwright ends it, and removes its folder, when this process exits.
  process.once("SIGTERM", () => process.exit());
  return shared;
}

/** One that runs the scripts of its pages as people's do, for what is measured. */
export function launchUsersChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ["--disable-dev-shm-usage"] });
}

/** The same for a whole one, which shows windows unless told otherwise. */
export function launchWholeChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [...usual, "--headless=new"],
    ignoreDefaultArgs: ["--headless"],
  });
}
