import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs `scripts/check-words.mjs` on a file and returns what it prints. */
async function check(name: string, text: string) {
  const folder = await mkdtemp(join(tmpdir(), "merkle-words-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  await writeFile(path, text);
  const named = relative(root, path);
  return new Promise<{ code: number; lines: string[] }>((resolve) => {
    execFile(process.execPath, [join(root, "scripts/check-words.mjs"), named], (error, _stdout, stderr) => {
      const lines = stderr.split("\n").filter((line) => line !== "");
      resolve({ code: error === null ? 0 : 1, lines: lines.map((line) => line.replace(`${named}:`, "")) });
    });
  });
}

it("[CLI-160] a refused word in a string, a template, JSX, a comment or a paragraph is named with its line and a better one", async () => {
  const source = [
    'const summary = "address; 127.0.0.1 unless told";',
    "const note = `one ${[1].map((each) => `${each} is told`)} two",
    "  whoever reads it`;",
    "export const page = (",
    '  <p title="Read it anew" data-count={1 < 2 ? 1 : 0}>',
    "    Agents {summary} are",
    "    told {note} of it.",
    "  </p>",
    ");",
    "/**",
    " * Called when a peer has",
    " * been told.",
    " */",
  ].join("\n");
  expect(await check("page.tsx", source)).toEqual({
    code: 1,
    lines: [
      expect.stringMatching(/^1: "unless told"\. Write instead: \(default: …\)/),
      expect.stringMatching(/^2: "is told"\. /),
      expect.stringMatching(/^3: "whoever"\. /),
      expect.stringMatching(/^5: "anew"\. /),
      expect.stringMatching(/^6: "are told"\. /),
      expect.stringMatching(/^12: "been told"\. /),
    ],
  });
  const prose = "# Words\n\n| a | b |\n|---|---|\n| 20 | unless told |\n\nAgents are\ntold.\n";
  expect((await check("page.md", prose)).lines.map((line) => line.split(".")[0])).toEqual([
    '5: "unless told"',
    '7: "are told"',
  ]);
});

it("[CLI-160] code, single words, fenced code and texts with words-ignore are left alone", async () => {
  const source = [
    'import { whoever } from "./whoever-onlooker.js";',
    "const ratio = whoever / 2; const pattern = /is told/g; const anew = ratio / 3;",
    "// words-ignore: quotes an old release",
    'const quoted = "unless told";',
    "const generic = <T,>(value: T): T => value;",
  ].join("\n");
  expect(await check("code.tsx", source)).toEqual({ code: 0, lines: [] });
  const prose = "```sh\necho unless told\n```\n\n<!-- words-ignore: a quotation -->\nIt said: unless told.\n";
  expect(await check("page.md", prose)).toEqual({ code: 0, lines: [] });
});
