import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns the path of Chromium: `CHROMIUM_PATH`, or else the first one on `PATH`. @throws Error if there is none */
export function findChromium() {
  const found = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((place) => ["chromium", "chromium-browser", "google-chrome"].map((name) => join(place, name)))
    .find((file) => existsSync(file));
  const file = process.env.CHROMIUM_PATH ?? found;
  if (!file) throw new Error("There is no Chromium here. Install it, or name one in CHROMIUM_PATH.");
  return file;
}
