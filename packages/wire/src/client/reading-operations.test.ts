import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { catalogue, type OperationName, operations } from "../catalogue.js";
import { isReadOnly } from "./reading-operations.js";

it("[CLIENT-2] the client holds the same operations for reading as the catalogue", () => {
  const names = Object.keys(catalogue) as OperationName[]; // The keys of the catalogue are its names.
  expect(names.map((name) => [name, isReadOnly(name)])).toEqual(
    operations.map(({ name, readOnly }) => [name, readOnly]),
  );
});

it("[CLIENT-2] every operation that changes something takes an idempotency key, and no other does", () => {
  for (const { name, readOnly, input } of operations) {
    expect("idempotency_key" in input.shape, name).toBe(!readOnly);
  }
});

it("[CLIENT-9] the client loads no schema: nothing beyond its folder but errors, limits and close codes", () => {
  const folder = new URL(".", import.meta.url);
  const sources = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const imported = sources.flatMap((name) => valueImports(readFileSync(new URL(name, folder), "utf8")));
  const outside = new Set(imported.filter((specifier) => !specifier.startsWith("./")));
  expect([...outside].sort()).toEqual(["../close-codes.js", "../errors.js", "../limits.js"]);
});

function valueImports(source: string): string[] {
  const statements = source.matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)";/gm);
  return [...statements].map(([, specifier]) => specifier ?? "");
}
