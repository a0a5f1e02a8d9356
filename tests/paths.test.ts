import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const markdownIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
// The changelog is excluded, because it names paths as they were at the time.
const documents = [...markdownIn("."), ...markdownIn("docs")].filter((name) => name !== "CHANGELOG.md");

/** The repository's top-level folders. Any other text with a slash is an address, or a file in the Merkle home. */
const folders = ["apps/", "packages/", "tests/", "scripts/", "bench/", "docs/", ".claude/"];

/** Returns the files and folders that a document names in backticks, relative to the repository root. */
function namedIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, path = ""]) => path);
  return quoted.filter((path) => folders.some((folder) => path.startsWith(folder)) && !/[<*{]/.test(path));
}

/** Returns the targets of a document's links to files in this repository. */
function linkedFrom(text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

describe.each(documents)("%s", (document) => {
  const text = readFileSync(join(root, document), "utf8");

  it("names files that are there", () => {
    expect(namedIn(text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("links to what is there", () => {
    const broken = linkedFrom(text).filter((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? join(root, document) : join(root, dirname(document), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && file.endsWith(".md") && !anchorsOf(file).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

/** Returns the anchors that GitHub generates for a page's headings. */
function anchorsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^a-z0-9 _-]/g, "")
      .replaceAll(" ", "-"),
  );
}
