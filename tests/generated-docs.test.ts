import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildNumber, closeCodes, errorCodes } from "@merkle/wire";
import { limits, rateLimits, shares } from "@merkle/wire/limits";
import { operations } from "@merkle/wire/schemas";
import { describe, expect, it } from "vitest";
import { commands } from "../apps/cli/src/commands.js";
import { buildFile, renderBuildFile } from "../scripts/docs/build-number.js";
import { renderGeneratedPages } from "../scripts/docs/generated-pages.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = await renderGeneratedPages();
const rowsOf = (name: string) =>
  (pages[`docs/reference/${name}.md`] ?? "").split("\n").filter((line) => line.startsWith("| `"));

describe("generated documentation", () => {
  it.each(Object.entries(pages))(
    "[CAT-3] %s is what the code gives now; otherwise run `npm run docs`",
    (name, page) => {
      expect(page).toBe(readFileSync(`${root}/${name}`, "utf8"));
    },
  );

  it("[CAT-3] nothing else is in docs/reference", () => {
    const there = readdirSync(`${root}/docs/reference`).map((name) => `docs/reference/${name}`);
    expect(there.sort()).toEqual(
      Object.keys(pages)
        .filter((name) => name.startsWith("docs/reference/"))
        .sort(),
    );
  });

  it("[BUILD-1] another contract has the next number, and the same contract the same", () => {
    const file = readFileSync(`${root}/${buildFile}`, "utf8");
    expect(renderBuildFile(file)).toBe(file);
    const next = renderBuildFile(file, "f".repeat(64));
    expect(next).toContain(`buildNumber = ${buildNumber + 1};`);
    expect(next).toContain(`contractHash = "${"f".repeat(64)}";`);
    expect(renderBuildFile(next, "f".repeat(64))).toBe(next);
  });

  it("[CAT-1] a row for every operation, with route, access and what becomes of it after closing", () => {
    expect(rowsOf("operations")).toHaveLength(operations.length);
    expect(rowsOf("operations")).toContain(
      "| `post_message` | `POST /api/sessions/:session_id/messages` | team | – | core | yes | – | write | refused |",
    );
  });

  it("[LIMIT-1] a row for every limit, in its unit", () => {
    expect(rowsOf("limits")).toHaveLength(Object.keys(limits).length);
    const table = rowsOf("limits").join("\n");
    expect(table).toContain("| `messageTextBytesMax` | 64 KiB | 413 |");
    expect(table).toContain("| `httpBodyBytesMax` | 2 MiB | 413 |");
    expect(table).toContain("| `descriptionCharsMax` | 8,000 characters | 400 |");
    expect(table).toContain("| `undrainedMsMax` | 10,000 ms | close 4001 (WS-6) |");
  });

  it("[ERR-1] a row for every error, rate and close code", () => {
    expect(rowsOf("errors")).toHaveLength(Object.keys(errorCodes).length);
    expect(rowsOf("rates")).toHaveLength(Object.keys(rateLimits).length + Object.keys(shares).length);
    const closing = (pages["docs/reference/close-codes.md"] ?? "").match(/^\| \d{4} \|/gm);
    expect(closing).toHaveLength(Object.keys(closeCodes).length);
  });

  it("[CLI-1] a heading for every command that people run", () => {
    const headings = (pages["docs/reference/commands.md"] ?? "").match(/^### `merkle .*`$/gm);
    expect(headings).toHaveLength(commands.length);
  });

  it("[SET-1] [SET-2] a row for every setting of the broker and of a session", () => {
    expect(rowsOf("settings")).toHaveLength(26);
    expect(rowsOf("settings").join("\n")).toContain("| `idle_polls` | `10` | 1 to 1,000 |");
  });

  it("[CLI-5] a row for every variable of ours that commands read", () => {
    const known: readonly string[] =
      (pages["docs/reference/environment.md"] ?? "").match(/[A-Z_]{5,}/g) ?? [];
    // `merkle` sets these variables itself, for the agents that it starts.
    const given = [
      ...["MERKLE_MODEL", "MERKLE_CODEX_SERVER", "MERKLE_ACP_SOCKET", "MERKLE_CONVERSATION"],
      ...["MERKLE_CLIENT", "MERKLE_UNLESS_LAUNCHED", "MERKLE_APPROVAL_HOOK"],
    ];
    const sources = readdirSync(`${root}/apps/cli/src`, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.includes("test-kit"))
      .map((path) => readFileSync(`${root}/apps/cli/src/${path}`, "utf8"));
    const read = sources.flatMap(
      (text) => text.match(/(?<=(?:env(?:ironment)?\[|name: )")(?:MERKLE|MCP)_[A-Z_]+/g) ?? [],
    );
    expect(read.length).toBeGreaterThan(20);
    expect(read.filter((name) => !known.includes(name) && !given.includes(name))).toEqual([]);
  });

  it("[OPS-3] a row for every metric", () => {
    expect(rowsOf("metrics").join("\n")).toContain("| `merkle_posts_total` | counter |");
  });
});
