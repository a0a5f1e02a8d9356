import { type Browser, chromium } from "playwright-core";

export { findChromium, findWholeChromium } from "./find-program.js";

export const chromiumMissing =
  "There is no Chromium on this machine. Install it (Debian: apt-get install --no-install-recommends chromium " +
  "fonts-liberation), or name one in CHROMIUM_PATH.";

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
