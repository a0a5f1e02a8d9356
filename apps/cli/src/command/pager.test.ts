import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { setUpSharedMerkle } from "../test-kit/shared-merkle.js";
import { startAtTerminal } from "../test-kit/terminal.js";
import { needsPager } from "./needs-pager.js";

const merkle = setUpSharedMerkle();

beforeAll(async () => {
  await merkle.run(["new", "Long", "--slug", "long"]);
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
  await merkle.run(["doc", "append", "long", lines.join("\n\n")]);
});

describe("long output", { tags: "terminal" }, () => {
  it("[CLI-169] is read in less, where q ends it and Ctrl+C ends neither", async () => {
    const reading = startAtTerminal(merkle, ["doc", "show", "long"]);
    await reading.waitForScreen("line 5");
    await reading.waitForScreen("\u001b[K");
    reading.type("\u0003");
    reading.type("\u0003");
    // less drops keys that arrive while it handles Ctrl+C.
    const typing = setInterval(() => reading.type("G"), 200);
    await reading.waitForScreen("line 60").finally(() => clearInterval(typing));
    reading.type("q");
    const { code, screen } = await reading.ended;
    expect(code).toBe(0);
    expect(screen).not.toContain("✗");
  });

  it("[CLI-169] a pager that stops reading is no error, and notes come after it", async () => {
    const pager = join(merkle.home, "first-line");
    await writeFile(pager, "#!/bin/sh\nhead -1\necho CLOSED\n");
    await chmod(pager, 0o755);
    const { code, screen } = await startAtTerminal(merkle, ["doc", "show", "long"], { PAGER: pager }).ended;
    expect({ code, screen }).toEqual({
      code: 0,
      screen: expect.stringMatching(/^line 1\r\nCLOSED\r\n.*v1/s),
    });
  });

  it.each([
    ["--no-pager", ["--no-pager"], {}],
    ["PAGER=cat", [], { PAGER: "cat" }],
    ["TERM=dumb", [], { TERM: "dumb" }],
    ["a pager that does not exist", [], { PAGER: "no-such-pager" }],
  ])("[CLI-169] with %s it is printed at once", async (_name, flags, env) => {
    const { code, screen } = await startAtTerminal(merkle, ["doc", "show", "long", ...flags], env).ended;
    expect(code).toBe(0);
    expect(screen).toContain("line 1\r\n");
    expect(screen).toContain("line 60\r\n");
  });
});

it("[CLI-169] only a text that does not fit on the terminal needs a pager", () => {
  const at = (rows: number, text: string, isTTY = true) =>
    needsPager(text, {
      flags: {},
      env: {},
      stdout: { isTTY, columns: 10, rows } as unknown as NodeJS.WriteStream,
    });
  expect(at(4, "a\nb\nc\n")).toBe(false);
  expect(at(4, "a\nb\nc\nd\n")).toBe(true);
  expect(at(4, `a\n${"b".repeat(21)}\n`), "wrapped lines count").toBe(true);
  expect(at(4, "a\nb\nc\nd\n", false)).toBe(false);
});

it("[CLI-169] without a terminal nothing is paged", async () => {
  const { stdout } = await merkle.run(["doc", "show", "long"], { env: { PAGER: "false" } });
  expect(stdout).toContain("line 60");
});
