import type { OutputOf, Peer, Session } from "@merkle/wire";
import { catalogue, Message } from "@merkle/wire/schemas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatRows } from "../../apps/cli/src/command/list.js";
import { createOutput } from "../../apps/cli/src/command/output.js";
import { listPeerColumns } from "../../apps/cli/src/commands/peers.js";
import { breakLines, createMessageFormat } from "../../apps/cli/src/feed/tail/print-messages.js";
import { displayWidth } from "../../apps/cli/src/text/display-width.js";
import { listNeeds } from "../../apps/cli/src/views/list-needs.js";
import { toNeed } from "../../apps/cli/src/views/needs.js";
import { listSessionColumns } from "../../apps/cli/src/views/session-rows.js";
import { layOut } from "../../apps/cli/src/views/watch/lay-out.js";
import { createJoinedPattern } from "../../packages/wire/src/core/joiners.js";
import { countRounds } from "../kit/exhaustive.js";
import { anyOutput, mark } from "./any-output.js";

/** `npm run test:fuzz` tries 1,000 random outputs of each kind. The normal suite tries fewer. */
const numRuns = Number(process.env["MERKLE_RENDERINGS"] ?? countRounds(40));

const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be left.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Bidi_Control}\p{Default_Ignorable_Code_Point}](?<![\ufe0e\ufe0f])/u;
const frames =
  /<[\s/]*(?:system|function_|tool_|teammate-|channel|cross-session|task-|local-command|user-prompt|antml|untrusted|\|im_start)/i;

const { stdout, stderr } = process;
const terminal = (columns: number) => ({
  ...createOutput({ color: false }, { stdout, stderr, env: { LANG: "C.UTF-8" } }),
  columns,
  isTerminal: false,
});
const widths = fc.constantFrom(24, 80, 200);

/**
 * Expects that no line contains hidden characters or a line break, starts with hostile text, or is wrapped by the
 * terminal.
 */
function mustBeHarmless(lines: readonly string[], columns: number): void {
  for (const line of lines) {
    expect(withoutNeeded(line)).not.toMatch(invisible);
    expect(line).not.toMatch(frames);
    expect(line).not.toContain("\n");
    expect(line.startsWith(mark), line).toBe(false);
    if (columns !== Number.POSITIVE_INFINITY) {
      expect(line).not.toContain("\t");
      expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
    }
  }
}

/** Expects harmless lines, of which exactly `rows` begin a row. The others are indented below it. */
function mustBeRows(text: string, { rows, columns }: { rows: number; columns: number }): void {
  const lines = rows === 0 ? [] : text.split("\n");
  expect(lines.filter((line) => !line.startsWith("    "))).toHaveLength(rows);
  mustBeHarmless(lines, columns);
}

/**
 * Returns a line without two kinds of invisible characters that are allowed: Merkle's own isolates that end on the
 * same line, and joiners that a word needs.
 */
function withoutNeeded(line: string): string {
  return line.replace(/\u2068([^\u2066-\u2069]*)\u2069/g, "$1").replace(createJoinedPattern(), "");
}

const peersOf = anyOutput(catalogue.list_peers.output) as fc.Arbitrary<OutputOf<"list_peers">>;
const attention = anyOutput(catalogue.list_attention.output) as fc.Arbitrary<OutputOf<"list_attention">>;
const sessionsOf = anyOutput(catalogue.list_sessions.output) as fc.Arbitrary<OutputOf<"list_sessions">>;
const messages = anyOutput(Message) as fc.Arbitrary<Message>;
const rendering = { bullet: "•", bold: String, code: String, dim: String };
const teams = { find: async () => ({ isOwn: false, colour: String }) };

describe("what others wrote, at a person's terminal", () => {
  it("[CLI-17] [CLI-30] [CLI-170] merkle tail: no field begins a line, steers the terminal, or is long enough to pass for another message", async () => {
    await fc.assert(
      fc.asyncProperty(
        messages,
        fc.oneof(widths, fc.constant(Number.POSITIVE_INFINITY)),
        fc.boolean(),
        async (message, columns, isRendered) => {
          const markdown = isRendered ? rendering : null;
          const text = await createMessageFormat({ ...terminal(columns), markdown }, teams)(message);
          const [first = "", ...later] = breakLines(text, columns).split("\n");
          expect(first).toMatch(/^\d\d:\d\d:\d\d #\d/);
          for (const line of later) expect(line === "" || line.startsWith(" ".repeat(9)), line).toBe(true);
          mustBeHarmless([first, ...later], columns);
        },
      ),
      { numRuns: 10 * numRuns },
    );
  });

  it("[CLI-30] [CLI-44] a text as wide as the terminal, tabs, wide letters and marks that take room begin no line", async () => {
    const forged = "14:03:22 #406 Ana (human) → everyone  approved";
    for (const filler of [
      " ".repeat(200),
      "a".repeat(53),
      "\t".repeat(7),
      "\u754c".repeat(27),
      `a${"\u0903".repeat(60)}`,
      "\u0915\u094d\u0937".repeat(40),
    ]) {
      const message = { ...base, content: { text: `hi${filler}${forged}` } };
      const text = breakLines(await createMessageFormat(terminal(80), teams)(message), 80);
      for (const line of text.split("\n").slice(1)) expect(line).toMatch(/^(?: {9}|$)/);
      for (const line of text.split("\n")) expect(columnsAtMost(line)).toBeLessThanOrEqual(80);
    }
    const answer = { text: "no", answer: 'yes"  DECISION  go' };
    const told = await createMessageFormat(terminal(80), teams)({ ...base, reply_to: 4, content: answer });
    expect(told).toContain('answers #4 "yes\\" DECISION go"  no');
  });

  it("[CLI-17] [CLI-49] merkle watch: every line of the screen is ours, and as many as there are", () => {
    const facts = fc.record({
      session: anyOutput(catalogue.get_session.output) as fc.Arbitrary<OutputOf<"get_session">>,
      peers: peersOf.map(({ peers }) => peers),
      needs: attention.map(({ items }) => items.map(toNeed)),
    });
    fc.assert(
      fc.property(facts, widths, fc.constantFrom(3, 24), (known, columns, rows) => {
        const board = {
          facts: known,
          filter: "all",
          messages: [],
          draft: null,
          notice: `x\n${mark}\u001b[2J`,
        };
        const { lines } = layOut(board as never, { columns, rows }, terminal(columns));
        expect(lines).toHaveLength(rows);
        // The first line legitimately begins with the session's title.
        mustBeHarmless([` ${withoutNeeded(lines[0] ?? "").slice(1)}`, ...lines.slice(1)], columns);
      }),
      { numRuns: 5 * numRuns },
    );
  });

  it("[CLI-17] [CLI-166] merkle peers: a row for each, and no more", () => {
    fc.assert(
      fc.property(peersOf, widths, fc.boolean(), ({ peers }, columns, verbose) => {
        const output = { ...terminal(columns), verbose };
        const text = formatRows(peers as Peer[], listPeerColumns(output), output);
        mustBeRows(text, { rows: peers.length, columns });
      }),
      { numRuns: 5 * numRuns },
    );
  });

  it("[CLI-17] [CLI-166] merkle ls: a row for each session, and no more", async () => {
    await fc.assert(
      fc.asyncProperty(sessionsOf, widths, async ({ sessions }, columns) => {
        const known = sessions.map((session) => ({ ...session, slug: "split-auth" })) as Session[];
        const output = terminal(columns);
        const text = formatRows(known, listSessionColumns(output), output);
        mustBeRows(text, { rows: known.length, columns });
      }),
      { numRuns: 5 * numRuns },
    );
  });

  it("[CLI-17] [CLI-46] merkle ls --needs: a line for each place and each need, and no more", async () => {
    await fc.assert(
      fc.asyncProperty(sessionsOf, attention, widths, async (page, waiting, columns) => {
        const sessions = page.sessions.map((session) => ({ ...session, slug: "split-auth" }));
        const items = waiting.items.map((item) =>
          item.session_id === null ? { ...item, source_path: `docs/${item.source_path}` } : item,
        );
        const shown: string[] = [];
        const showPage = async (_: unknown, text: string) => void shown.push(text);
        const output = { ...terminal(columns), page: showPage };
        const reader = { call: async () => ({ ...waiting, items, total: items.length }) };
        await listNeeds({ ...page, sessions } as never, {
          reader: reader as never,
          output: { ...output, note: () => undefined },
          isSelected: () => true,
        });
        mustBeHarmless(
          shown.flatMap((text) => text.split("\n")),
          columns,
        );
      }),
      { numRuns: 5 * numRuns },
    );
  });
});

const base: Message = {
  id: "5e551000-0000-4000-8000-000000000001",
  session_id: "5e551000-0000-4000-8000-000000000001",
  sequence: 405,
  type: "chat",
  posted_by_team_id: "5e551000-0000-4000-8000-000000000001",
  from: { team: "Birch", human: false },
  to: ["*"],
  priority: "next",
  content: {},
  posted_at: "2026-01-01T14:02:10.123Z",
};

/** Returns the width of a line on a terminal that draws each character separately. */
function columnsAtMost(line: string): number {
  return [...line].reduce(
    (sum, each) => sum + (/\p{Mn}/u.test(each) ? 0 : /\p{Script=Han}/u.test(each) ? 2 : 1),
    0,
  );
}
