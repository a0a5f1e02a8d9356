import { expect, it } from "vitest";
import { describeScopeProblem, normaliseScope, scopeContainsFile, scopesOverlap } from "./scope.js";

it("[CLAIM-1] a scope that looks like a path is files, and a word or a sentence is a name", () => {
  const files = {
    "src/a.ts": "repo:src/a.ts",
    "./src/a.ts": "repo:src/a.ts",
    "repo:/src/auth/": "repo:src/auth/**",
    "README.md": "repo:README.md",
    ".gitignore": "repo:.gitignore",
    "*.ts": "repo:*.ts",
    "src/": "repo:src/**",
  };
  for (const [scope, stored] of Object.entries(files)) expect(normaliseScope(scope)).toBe(stored);
  for (const name of ["deploy", "issue:#12", "https://a.example/b", "the auth/session work", "v1.2"])
    expect(normaliseScope(name)).toBe(name);
});

it("[CLAIM-1] lines of a file are refused with what to claim instead", () => {
  const ranges = [":10-20", ":10", ":10:4", "#L10-L20", " lines 10-20", " (line 10)", " L10-20"];
  for (const file of ["src/a.ts", "repo:src/a.ts", "a.ts"])
    for (const range of ranges)
      expect(describeScopeProblem(normaliseScope(file + range)), file + range).toBe(
        `claims are on whole files, not on lines of one; claim repo:${file.replace("repo:", "")}`,
      );
  for (const name of ["issue:#12", "issue:12", "deploy 3", "localhost:3000"])
    expect(describeScopeProblem(name)).toBeNull();
});

it("[CLAIM-1] a folder without its slash is everything in it, and a claim from before is read alike", () => {
  expect(scopeContainsFile("repo:src/auth", "src/auth/deep/a.ts")).toBe(true);
  expect(scopeContainsFile("src/a.ts", "src/a.ts")).toBe(true);
  expect(scopeContainsFile("repo:src/*", "src/auth/a.ts")).toBe(false);
  expect(scopesOverlap("repo:src", "repo:src/auth/**")).toBe(true);
  expect(scopesOverlap("src/a.ts", "repo:src/a.ts")).toBe(true);
  expect(scopesOverlap("repo:src/a", "repo:src/ab")).toBe(false);
});
