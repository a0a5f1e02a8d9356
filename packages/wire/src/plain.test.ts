import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type OperationName, operations } from "./catalogue.js";
import { routeOf } from "./plain.js";

it("[PACK-4] what is plain reaches no schema, and no package at all", () => {
  const reached = new Set<string>();
  const visit = (file: URL): void => {
    if (reached.has(file.href)) return;
    reached.add(file.href);
    for (const specifier of valueImports(readFileSync(file, "utf8"))) {
      expect(specifier, file.pathname).toMatch(/^\.\.?\//);
      visit(new URL(specifier.replace(/\.js$/, ".ts"), file));
    }
  };
  visit(new URL("plain.ts", import.meta.url));
  expect(reached.size).toBeGreaterThan(5);
});

it("[CAT-1] the routes are the catalogue's", () => {
  const routes = operations.map(({ name }) => {
    const { method, path } = routeOf(name as OperationName); // The names of the operations are these.
    return `${method} ${path}`;
  });
  expect(routes).toEqual(operations.map(({ route }) => route));
});

function valueImports(source: string): string[] {
  const statements = source.matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)";/gm);
  return [...statements].map(([, specifier]) => specifier ?? "");
}
