import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it.each([
  ["index.ts", []],
  ["client/index.ts", []],
  ["text/index.ts", []],
  ["identity/index.ts", ["canonicalize"]],
] satisfies [string, string[]][])(
  "[PACK-4] %s reaches no schema, and no package but %j",
  (face: string, packages: string[]) => {
    const reached = new Set<string>();
    const visit = (file: URL): void => {
      if (reached.has(file.href)) return;
      reached.add(file.href);
      for (const specifier of valueImports(readFileSync(file, "utf8"))) {
        if (packages.includes(specifier)) continue;
        expect(specifier, file.pathname).toMatch(/^\.\.?\//);
        visit(new URL(specifier.replace(/\.js$/, ".ts"), file));
      }
    };
    visit(new URL(face, import.meta.url));
    expect(reached.size).toBeGreaterThan(5);
  },
);

function valueImports(source: string): string[] {
  const statements = source.matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)";/gm);
  return [...statements].map(([, specifier]) => specifier ?? "");
}
