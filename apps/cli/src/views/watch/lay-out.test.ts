import { sessionSettingsDefault } from "@merkle/wire/schemas";
import { describe, expect, it } from "vitest";
import { createOutput } from "../../command/output.js";
import { createFeedMessage } from "../../test-kit/feed-message.js";
import { displayWidth } from "../../text/display-width.js";
import type { Board } from "./board.js";
import { layOut } from "./lay-out.js";

const at = "2026-01-01T00:00:00.000Z";
const { stdout, stderr } = process;
const style = createOutput({ color: false }, { stdout, stderr, env: { LANG: "C.UTF-8" } });

function createBoard(special: Partial<Board>): Board {
  return {
    facts: {
      session: {
        session_id: "",
        slug: "s",
        title: "認証 and a title that is long enough to be cut somewhere on the way",
        description: "",
        status: "active",
        session_closed: false,
        created_by_team_id: "",
        created_at: at,
        updated_at: at,
        closed_at: null,
        archived_at: null,
        last_sequence: 12,
        last_posted_at: at,
        last_said_at: null,
        last_said_by: null,
        last_said_text: null,
        last_read: null,
        unread: null,
        quiet_since: null,
        conclusion: null,
        present: [],
        last_change: null,
        document_version: 3,
        bytes: 0,
        teams: 1,
        settings: sessionSettingsDefault,
        held: null,
        agent_messages: 0,
        unfinished_tasks: 0,
        state_keys: 0,
        memories: 0,
        progress_entries: 0,
        seal: null,
        origin: null,
      },
      peers: [],
      needs: Array.from({ length: 6 }, () => ({
        kind: "held" as const,
        by: "Ana",
        reason: "long ".repeat(30),
        at,
      })),
    },
    filter: "all",
    messages: Array.from({ length: 30 }, (_, index) => ({
      message: createFeedMessage(index + 1, index % 2 === 0 ? {} : { content: { text: "?", kind: "ask" } }),
      text: `#${index + 1} ${"word ".repeat(20)}`,
    })),
    draft: null,
    notice: "",
    ...special,
  };
}

describe("the screen of a watch", () => {
  it("[CLI-49] fills any terminal, no line of it too long, with the end of the feed", () => {
    for (const size of [
      { columns: 80, rows: 24 },
      { columns: 30, rows: 10 },
      { columns: 20, rows: 4 },
    ]) {
      const { lines, cursor } = layOut(createBoard({}), size, style);
      expect(lines).toHaveLength(size.rows);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(size.columns);
      expect(cursor).toBeNull();
    }
    const { lines } = layOut(createBoard({}), { columns: 80, rows: 24 }, style);
    expect(lines.slice(0, 7)).toEqual([
      expect.stringMatching(/^認証 and .*… {2}open · 12 messages · document v3$/),
      "NEEDS YOU 6",
      ...Array.from({ length: 4 }, () => expect.stringMatching(/^◆ held by Ana .*…$/)),
      "  and 2 more: merkle ls --needs",
    ]);
    expect(lines.findLast((line) => line.startsWith("#"))).toMatch(/^#30 /);
    const asks = layOut(createBoard({ filter: "asks" }), { columns: 80, rows: 24 }, style).lines;
    expect(asks.filter((line) => /^#\d*[13579] /.test(line))).toEqual([]);
    const [first] = createBoard({}).messages;
    const none = layOut(
      createBoard({ filter: "asks", messages: first ? [first] : [] }),
      { columns: 80, rows: 24 },
      style,
    );
    expect(none.lines).toContain("  no asks since #1");
  });

  it("[CLI-50] shows the end of what is typed, with the cursor behind it, and what was said about it", () => {
    const typing = createBoard({ draft: `${"認".repeat(40)}!`, notice: "not posted: held" });
    const { lines, cursor } = layOut(typing, { columns: 40, rows: 10 }, style);
    expect(lines.at(-1)).toMatch(/^say: 認+!$/);
    expect(cursor).toEqual({ row: 9, column: displayWidth(lines.at(-1) ?? "") });
    expect(lines.at(-2)).toBe("not posted: held");
  });
});
