import { type Browser, chromium } from "playwright-core";

export { findChromium, findWholeChromium } from "./find-program.js";

export const chromiumMissing =
  "There is no Chromium on this machine. Install it (Debian: apt-get install --no-install-recommends chromium " +
  "fonts-liberation), or name one in CHROMIUM_PATH.";

const usual = [
  // In containers, /dev/shm is often too small for a browser.
  "--disable-dev-shm-usage",
  // A test's pages live for seconds. Optimising their scripts would take an eighth of the total time and rarely pay
  // off.
  "--js-flags=--no-opt --no-maglev --single-threaded-gc",
];

export function launchChromium(executablePath: string, args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...usual, ...args] });
}

let shared: Promise<Browser> | undefined;

/**
 * Returns the browser that all test files in this worker share. Each file closes its profiles before the next file uses
 * the browser.
 */
export async function sharedChromium(executablePath: string): Promise<Browser> {
  const before = await shared?.catch(() => undefined);
  if (before?.isConnected()) return before;
  shared = chromium.launch({ executablePath, args: usual, handleSIGTERM: false });
  // On exit, Playwright closes the browser and removes its folder.
  process.once("SIGTERM", () => process.exit());
  return shared;
}

/** Launches a browser that optimises scripts as in normal use, for measurements. */
export function launchUsersChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ["--disable-dev-shm-usage"] });
}

/** Launches a full browser, which shows windows unless `--headless` is passed. */
export function launchWholeChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [...usual, "--headless=new"],
    ignoreDefaultArgs: ["--headless"],
  });
}
