import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Axe, to be put into a page: as its short form, of which every page that is looked at has less than half to read. */
export const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
