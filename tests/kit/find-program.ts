import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders with programs for administrators, which are often only on root's PATH. */
const systemFolders = ["/usr/sbin", "/usr/local/sbin"];

/** Returns the path of the first of these programs that exists on this machine. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...systemFolders];
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

/**
 * Program names of browsers. The headless shell comes first, because it renders the same pages in half the
 * time.
 */
const chromiumNames = [
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

/** Returns the machine's Chromium: CHROMIUM_PATH if set, otherwise the first that is found. */
export function findChromium(): string | undefined {
  return process.env["CHROMIUM_PATH"] || (findProgram(...chromiumNames) ?? elsewhere.find(existsSync));
}

/** Returns a Chromium that can show notifications, unlike the headless shell. */
export function findWholeChromium(): string | undefined {
  return findProgram(...chromiumNames.slice(1)) ?? elsewhere.find(existsSync);
}

export function findFirefox(): string | undefined {
  return findProgram("firefox-esr", "firefox");
}
