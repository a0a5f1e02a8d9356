import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operationRules } from "@merkle/wire";
import { expect, it } from "vitest";

const sources = join(import.meta.dirname, "..");

it("[ERR-5] every operation that an error recommends as next exists", () => {
  const texts = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(sources, path), "utf8"));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/\bnext: (?:\w+ \? "(\w+)" : )?"(\w+)"/g)].flatMap(([, first, last]) =>
      [first, last].filter((name) => name !== undefined),
    ),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !Object.hasOwn(operationRules, name))).toEqual([]);
});
