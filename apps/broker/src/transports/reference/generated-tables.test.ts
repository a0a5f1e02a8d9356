import { closeCodes, errorCodes, limits, operations } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { fillGeneratedTables } from "./generated-tables.js";

const place = (name: string, content = "") => `<!-- generated: ${name} -->\n${content}<!-- /generated -->`;
const rowsOf = (name: string) => fillGeneratedTables(place(name)).split("\n").slice(3, -1);

describe("fillGeneratedTables", () => {
  it("[CAT-3] writes a row for every operation, limit, error and close code", () => {
    expect(rowsOf("operations")).toHaveLength(operations.length);
    expect(rowsOf("limits")).toHaveLength(Object.keys(limits).length);
    expect(rowsOf("errors")).toHaveLength(Object.keys(errorCodes).length);
    expect(rowsOf("close-codes")).toHaveLength(Object.keys(closeCodes).length);
  });

  it("[CAT-1] gives an operation's route, access and what becomes of it after closing", () => {
    expect(rowsOf("operations")).toContain(
      "| `post_message` | `POST /api/sessions/:session_id/messages` | team | refused |",
    );
    expect(rowsOf("operations")).toContain("| `create_session` | `POST /api/sessions` | open | – |");
  });

  it("[LIMIT-1] gives a limit in its unit", () => {
    const limitsTable = rowsOf("limits").join("\n");
    expect(limitsTable).toContain("| `messageTextBytesMax` | 64 KiB | 413 |");
    expect(limitsTable).toContain("| `httpBodyBytesMax` | 2 MiB | 413 |");
    expect(limitsTable).toContain("| `descriptionCharsMax` | 8,000 characters | 400 |");
    expect(limitsTable).toContain("| `undrainedMsMax` | 10,000 ms | close 4001 (WS-6) |");
  });

  it("[CAT-3] replaces what stood in a place, leaves the rest alone, and changes nothing the second time", () => {
    const document = `before\n\n${place("errors", "| stale |\n")}\n\nbetween\n\n${place("operations")}\nafter\n`;
    const filled = fillGeneratedTables(document);
    expect(filled).not.toContain("stale");
    expect(filled).toMatch(
      /^before\n\n<!-- generated: errors -->\n\| Code [\s\S]*\nbetween\n[\s\S]*\nafter\n$/,
    );
    expect(fillGeneratedTables(filled)).toBe(filled);
  });

  it("[CAT-3] leaves a document without places as it is", () => {
    expect(fillGeneratedTables("# Nothing\n\n| here | $& |\n")).toBe("# Nothing\n\n| here | $& |\n");
  });

  it("[CAT-3] refuses a table that there is not, and one without an end", () => {
    expect(() => fillGeneratedTables(place("__proto__"))).toThrow('no table "__proto__"');
    expect(() => fillGeneratedTables(`<!-- generated: errors -->\n${place("limits")}`)).toThrow(
      "have no end",
    );
  });
});
