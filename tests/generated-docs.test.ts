import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generateDocument } from "../apps/broker/src/transports/reference/generate-document.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const documents = readdirSync(root).filter((name) => name.endsWith(".md"));
const read = (name: string) => readFileSync(`${root}/${name}`, "utf8");

describe("generated documentation", () => {
  it.each(documents)(
    "[CAT-3] %s is what the catalogue gives now; otherwise run `npm run build && npm run docs`",
    (name) => {
      expect(generateDocument(name, read(name))).toBe(read(name));
    },
  );

  it("[CAT-3] SPEC.md has the tables of operations, limits, errors, rates and close codes", () => {
    const places = [...read("SPEC.md").matchAll(/<!-- generated: (.*) -->/g)].map(([, name]) => name);
    expect(places).toEqual(["operations", "limits", "errors", "rates", "close-codes"]);
  });

  it("[CAT-3] AGENTS.md is there", () => {
    expect(documents).toContain("AGENTS.md");
  });
});
