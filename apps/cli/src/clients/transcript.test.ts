import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compactMessage } from "@merkle/wire";
import { expect, it, onTestFinished } from "vitest";
import { createFeedMessage } from "../test-kit/feed-message.js";
import { claudeTranscript } from "./claude-transcript.js";
import { codexTranscript } from "./codex-transcript.js";
import { readTranscript } from "./transcript.js";

const one = createFeedMessage(1, { content: { text: "one" } });
const two = createFeedMessage(2, { content: { text: "two\nlines" } });
const three = createFeedMessage(3, { content: { text: "three" } });

let uuids = 0;
/** Formats a line of a transcript. By default its parent is the previous line. */
function toLine(fields: object, parent = `u${uuids}`): string {
  uuids += 1;
  return JSON.stringify({ parentUuid: parent, isSidechain: false, uuid: `u${uuids}`, ...fields });
}
const prompt = (parent?: string) =>
  toLine({ type: "user", message: { role: "user", content: "hello" } }, parent);
const hook = (...content: string[]) =>
  toLine({ type: "attachment", attachment: { type: "hook_additional_context", content } });
const result = (text: string, parent?: string) =>
  toLine(
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text }] }] },
    },
    parent,
  );
const parse = (...lines: string[]) => claudeTranscript.parse(`cut off"}\n${lines.join("\n")}\n{"half`);

it("[WAKE-4] holds what a hook put in and a tool returned, in whole lines, marked or not", () => {
  const transcript = parse(
    prompt(),
    hook("1 Merkle message\n(again) #1 Alder: one\nEnd of the Merkle messages."),
    result(compactMessage(two)),
    prompt(),
  );
  expect(transcript?.contains(one)).toBe(true);
  expect(transcript?.contains(two)).toBe(true);
  expect(transcript?.contains(three)).toBe(false);
  expect(transcript?.contains(createFeedMessage(1, { content: { text: "on" } }))).toBe(false);
});

it("[WAKE-4] does not hold what only looks like it: another's text, a note of the client's, a subagent's", () => {
  const note = JSON.stringify({ type: "api-request-blob", message: { content: "#1 Alder: one" } });
  const aside = toLine({
    isSidechain: true,
    attachment: { type: "hook_additional_context", content: [compactMessage(two)] },
  });
  const transcript = parse(prompt(), note, aside, result("#4 Cedar: look\n  #3 Alder: three"));
  expect([one, two, three].map((message) => transcript?.contains(message))).toEqual([false, false, false]);
});

it("[WAKE-4] does not hold what went with an interrupted prompt, or stands before a compaction; calls side by side are kept", () => {
  const before = prompt();
  const at = `u${uuids}`;
  const lost = [prompt(at), hook("#1 Alder: one")];
  const again = [prompt(at), toLine({ type: "assistant", message: { content: [{ type: "tool_use" }] } })];
  const firstCall = `u${uuids}`;
  const secondCall = toLine({ type: "assistant", message: { content: [{ type: "tool_use" }] } });
  const results = [result(compactMessage(two), firstCall), result("#3 Alder: three", `u${uuids - 1}`)];
  const transcript = parse(before, ...lost, ...again, secondCall, ...results);
  expect([one, two, three].map((message) => transcript?.contains(message))).toEqual([false, true, true]);

  const compacted = hook("#1 Alder: one");
  const boundary = toLine({ type: "system", subtype: "compact_boundary", parentUuid: null });
  expect(parse(compacted, boundary, prompt())?.contains(one)).toBe(false);
});

it("[WAKE-4] Codex's rollout holds what hooks put in and tools returned, and is unknown after a compaction or a rollback", () => {
  const item = (payload: object) => JSON.stringify({ type: "response_item", payload });
  const context = item({
    type: "message",
    role: "developer",
    content: [{ type: "input_text", text: "#1 Alder: one" }],
  });
  const output = item({
    type: "function_call_output",
    output: [{ type: "input_text", text: compactMessage(two) }],
  });
  const answer = item({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: "#3 Alder: three" }],
  });
  const four = createFeedMessage(4, { content: { text: "a < b && c " } });
  const stop = item({
    type: "message",
    role: "user",
    content: [
      {
        type: "input_text",
        text: '<hook_prompt hook_run_id="stop:3">1 Merkle message:\n#4 Alder: a &lt; b &amp;&amp; c</hook_prompt>',
      },
    ],
  });
  const rollout = codexTranscript.parse(`cut off"}\n${[context, answer, output, stop].join("\n")}\n{"half`);
  expect([one, two, three, four].map((message) => rollout?.contains(message))).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect([one, two].map((message) => rollout?.isAnswered(message))).toEqual([true, false]);
  const compacted = JSON.stringify({ type: "compacted", payload: { message: "" } });
  const rolledBack = JSON.stringify({
    type: "event_msg",
    payload: { type: "thread_rolled_back", num_turns: 1 },
  });
  for (const change of [compacted, rolledBack])
    expect(codexTranscript.parse(`${context}\n${change}`)).toBeUndefined();
});

it("[WAKE-4] is unknown where there is no file, or its form is another", async () => {
  const config = await mkdtemp(join(tmpdir(), "merkle-transcript-"));
  onTestFinished(() => rm(config, { recursive: true, force: true }));
  const env = { CLAUDE_CONFIG_DIR: config };
  const read = (conversation: string) => readTranscript(claudeTranscript, conversation, env);
  const id = "5e551000-0000-4000-8000-00000000000c";
  expect(await read(id)).toBeUndefined();
  await mkdir(join(config, "projects", "-here"), { recursive: true });
  const path = join(config, "projects", "-here", `${id}.jsonl`);
  await writeFile(path, '{"kind":"of another time"}\n');
  expect(await read(id)).toBeUndefined();
  await writeFile(path, `${hook("#1 Alder: one")}\n`);
  expect((await read(id))?.contains(one)).toBe(true);
  expect(await read("../x")).toBeUndefined();
});
