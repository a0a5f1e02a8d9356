import { randomUUID } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { countUtf8Bytes } from "@merkle/wire/text";
import { openCaller } from "../caller.js";
import { callToolOf, initializeLine } from "../mcp-stdio.js";
import { getBuiltMerkle } from "../merkle-program.js";
import { definePart, type Figure } from "../part.js";
import type { Stage } from "../stage.js";

/** The size of the text that agents receive, apart from the text and senders of messages. */
type Round = Readonly<
  Record<"instructions" | "sessionStart" | "join" | "wait" | "first" | "one" | "five", Cost>
>;

interface Cost {
  readonly bytes: number;
  /** Size of only the text and senders of the messages. If there are no messages, the whole size. */
  readonly wordsBytes: number;
}

const sender = "Alder";
const text = "The tests pass on the second machine, too.";

export const context = definePart<Round>({
  name: "context",
  rounds: { quick: 1, full: 1 },
  figures: [
    toFigure("instructions over stdio", "instructions"),
    toFigure("session start of a launched agent", "sessionStart"),
    toFigure("join over stdio, of a session that it is in", "join"),
    toFigure("wait over stdio, one message", "wait"),
    toFigure("hook, the first message of a conversation", "first"),
    toFigure("hook, one message", "one", 60 + text.length + sender.length),
    toFigure("hook, five messages", "five"),
  ],
  async open(stage) {
    const broker = await stage.startBroker();
    return { measure: () => measureHook(stage, broker), close: broker.stop };
  },
});

async function measureHook(
  { folder }: Stage,
  { url, socketUrl }: { url: string; socketUrl: string },
): Promise<Round> {
  const caller = await openCaller(socketUrl);
  const slug = `s-${randomUUID().slice(0, 8)}`;
  const { team_id } = await caller.call("create_session", { title: slug, slug, creator_team_name: sender });
  const home = join(folder, `agent-${slug}`);
  await mkdir(home);
  const server = getBuiltMerkle().start(["mcp", "--session", slug, "--team", "Birch", "--url", url], home);
  try {
    server.write(initializeLine);
    const { instructions } = Object(JSON.parse(await server.nextLine())).result;
    // The server replies to this call only once it has joined the session.
    await callToolOf(server, "get_session", {});
    const joined = await callToolOf(server, "join_session", { session_id: slug, team_name: "Birch" });
    const [place = ""] = (await readdir(join(home, "teams"))).filter((name) => name.endsWith(".json"));
    const started = await getBuiltMerkle().run(["hook", "session-start"], home, {
      MERKLE_PEER: place.replace(/\.json$/, ""),
    });
    const { additionalContext } = Object(JSON.parse(started)).hookSpecificOutput;
    const toCost = (words: string, count = 0): Cost => ({
      bytes: countUtf8Bytes(words),
      wordsBytes: count === 0 ? countUtf8Bytes(words) : count * (text.length + sender.length),
    });
    const waiting = callToolOf(server, "wait_for_messages", { timeout: 20 });
    await caller.call("post_message", { session_id: slug, team_id, content: { text } });
    const wait = toCost(await waiting, 1);
    const bring = async (count: number): Promise<Cost> => {
      for (let posted = 0; posted < count; posted += 1)
        await caller.call("post_message", {
          session_id: slug,
          team_id,
          content: { text },
          // The priority of the last message makes the hook return. The hook then returns all messages.
          priority: posted === count - 1 ? "next" : "low",
        });
      for (;;) {
        const answer = await callToolOf(server, "hook", { event: "Stop", session_id: "s", prompt_id: "p" });
        const added = Object(JSON.parse(answer)).hookSpecificOutput?.additionalContext;
        if (typeof added !== "string") continue;
        if (added.split(text).length - 1 !== count) throw new Error(`The messages came apart: ${added}`);
        return toCost(added, count);
      }
    };
    return {
      instructions: toCost(instructions),
      sessionStart: toCost(additionalContext),
      join: toCost(joined),
      wait,
      first: await bring(1),
      one: await bring(1),
      five: await bring(5),
    };
  } finally {
    await server.stop();
    caller.close();
  }
}

function toFigure(name: string, which: keyof Round, atMost?: number): Figure<Round> {
  return {
    name,
    unit: "bytes",
    limitName: /hook|wait/.test(name) ? "text and sender" : "itself",
    value: (round) => round[which].bytes,
    limit: (round) => round[which].wordsBytes,
    ...(atMost !== undefined && { target: { valueAtMost: atMost } }),
  };
}
