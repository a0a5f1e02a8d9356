import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("[PACK-4] [STDIO-1] what answers the handshake reaches no schema and no SDK", () => {
  const packages = new Set<string>();
  const reached = new Set<string>();
  const visit = (file: URL): void => {
    if (reached.has(file.href)) return;
    reached.add(file.href);
    for (const specifier of listValueImports(readFileSync(file, "utf8"))) {
      if (specifier.startsWith(".")) visit(new URL(specifier.replace(/\.js$/, ".ts"), file));
      else if (!specifier.startsWith("node:")) packages.add(specifier);
    }
  };
  visit(new URL("serve-stdio.ts", import.meta.url));
  expect(reached.size).toBeGreaterThan(10);
  // These parts of the contract load no schema, as their own test shows.
  expect(
    [...packages].filter((name) => !/^@merkle\/(?:wire(?:\/text|\/limits)?|db\/files)$/.test(name)),
  ).toEqual([]);
});

function listValueImports(source: string): string[] {
  const statements = source.matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)";/gm);
  return [...statements].map(([, specifier]) => specifier ?? "");
}
