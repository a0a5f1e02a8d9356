import { operations } from "@merkle/wire/schemas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countRounds } from "../kit/exhaustive.js";
import { anyOutput, mark } from "./any-output.js";

/**
 * `npm run test:fuzz` tries 1,000 outputs for each operation, more than 100,000 in total. The normal suite tries fewer.
 */
const runs = Number(process.env["MERKLE_RENDERINGS"] ?? countRounds(40));

/**
 * Outputs that end with verbatim text, because anyone who edits the text must quote it exactly. A line from the broker
 * announces the text, and nothing follows it (TEXT-4).
 */
const verbatim: Readonly<Record<string, RegExp>> = {
  read_session_doc: /, from the next line to the end:$/,
  get_proposal: /, from the next line to the end:$/,
  read_source: /, from the next line to the end:$/,
};

const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be left.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb]|\u034f|[\u{e0000}-\u{e0fff}]/u;
const frames =
  /<[\s/]*(?:system|function_|tool_|teammate-|channel|cross-session|task-|local-command|user-prompt|antml|untrusted|\|im_start)/i;

/** Returns the lines that a reader would attribute to the broker: unindented lines before any verbatim text. */
function ours(text: string, from: RegExp | undefined): string[] {
  const lines = text.split("\n");
  const last = from ? lines.findIndex((line) => from.test(line)) : -1;
  return (last === -1 ? lines : lines.slice(0, last + 1)).filter((line) => !line.startsWith("  "));
}

describe("what others wrote, in every field of every rendering", () => {
  it.each(operations.map((each) => [each.name, each] as const))(
    "[TEXT-1] %s: no field begins a line, closes a frame or hides anything",
    (name, operation) => {
      fc.assert(
        fc.property(
          anyOutput(operation.output),
          fc.constantFrom("server", "caller"),
          (output, credentialHolder) => {
            const text = operation.compact(output as never, {
              credentialHolder: credentialHolder as "server",
            });
            expect(text).not.toMatch(invisible);
            expect(text).not.toMatch(frames);
            for (const line of ours(text, verbatim[name]))
              expect(line.trimStart().startsWith(mark), line).toBe(false);
          },
        ),
        { numRuns: runs },
      );
    },
  );
});
