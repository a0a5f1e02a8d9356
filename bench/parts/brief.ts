import { connectPool } from "@merkle/db";
import { addMessages } from "../add-messages.js";
import { openCaller } from "../caller.js";
import { inParallel } from "../in-parallel.js";
import { definePart } from "../part.js";
import { openSessions } from "../places.js";
import { percentile } from "../statistics.js";

const messagesCount = 10_000;
/** Number of test messages that get their own line in the brief. The other test messages are chat. */
const toldCount = 2_000;
const calls = 100;

interface Round {
  readonly brief: number;
  readonly read: number;
}

/**
 * Briefs of a whole session of 10,000 messages, requested one after another. Compared with only reading the messages'
 * text.
 */
export const brief = definePart<Round>({
  name: "brief",
  rounds: { quick: 1, full: 3 },
  figures: [
    {
      name: `brief of ${messagesCount.toLocaleString("en")} messages, p95`,
      unit: "ms",
      limitName: "their texts by one SELECT",
      value: (round) => round.brief,
      limit: (round) => round.read,
      target: { valueAtMost: 100 },
    },
  ],
  async open(stage) {
    const broker = await stage.startBroker();
    const sql = connectPool(stage.databaseUrl, 1);
    const caller = await openCaller(broker.socketUrl);
    const [place, other] = await openSessions(broker.url, { sessions: 1, teams: 2 });
    if (!place || !other) throw new Error("There is no session.");
    const { session_id, team_id } = other;
    await addMessages(sql, other, messagesCount - toldCount);
    await inParallel(
      Array.from({ length: toldCount }, (_, index) => index),
      20,
      (index) => {
        const text = `bench ${index} ${"word ".repeat(30)}`;
        if (index % 4 === 0)
          return caller.call("create_task", { session_id, team_id, title: text.slice(0, 99) });
        const kind = index % 4 === 1 ? "ask" : "decision";
        return caller.call("post_message", { session_id, team_id, content: { text, kind } });
      },
    );
    return {
      measure: async () => ({
        brief: await measureCalls(() =>
          caller.call("brief", { session: session_id, since_cursor: 0, team_id: place.team_id }),
        ),
        read: await measureCalls(
          () =>
            sql`SELECT sequence, content FROM messages WHERE session_id = ${session_id} ORDER BY sequence`,
        ),
      }),
      async close() {
        caller.close();
        await sql.end();
        await broker.stop();
      },
    };
  },
});

/** Returns the 95th percentile of 100 calls, in milliseconds. */
async function measureCalls(call: () => PromiseLike<unknown>): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < calls; time += 1) {
    const start = performance.now();
    await call();
    took.push(performance.now() - start);
  }
  return percentile(took, 0.95);
}
