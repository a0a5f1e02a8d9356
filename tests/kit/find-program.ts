import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where administrators' programs are, which often only root has on its PATH. */
const systemFolders = ["/usr/sbin", "/usr/local/sbin"];

/** The path of the first of these programs that this machine has. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...systemFolders];
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** Names of browsers. The shell without windows comes first: it draws the same in half the time. */
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

/** The machine's Chromium: the one that CHROMIUM_PATH names, else the first that is found. */
export function findChromium(): string | undefined {
  return process.env["CHROMIUM_PATH"] || (findProgram(...chromiumNames) ?? elsewhere.find(existsSync));
}

/** A Chromium that can show notifications, which the shell cannot. */
export function findWholeChromium(): string | undefined {
  return findProgram(...chromiumNames.slice(1)) ?? elsewhere.find(existsSync);
}

export function findFirefox(): string | undefined {
  return findProgram("firefox-esr", "firefox");
}
