import { chmod, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { PostsAnswer } from "../load-posts.js";
import { getBuiltMerkle } from "../merkle-program.js";
import { definePart, type Figure, type Pace, type Target } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import type { Stage } from "../stage.js";

type Agent = "none" | "floods" | "multiplies";
type Round = Readonly<Record<Agent, Ran>>;

/** The posts measured while agents ran, and the number of jobs that ended. */
interface Ran {
  readonly posts: PostsAnswer;
  readonly jobs: number;
}

/**
 * A fake Claude Code program that acts according to its session's name. It either writes a gigabyte, or is a fork bomb
 * whose processes each start a new session. The bomb has at most 2,048 processes, which end after a while.
 */
const agentScript = `#!/bin/sh
if [ "$1" = bomb ]; then
  [ "$2" -gt 0 ] || exec sleep 15
  "$0" bomb $(($2 - 1)) & setsid "$0" bomb $(($2 - 1)) & wait; exit
fi
case "$(cat)" in
  *"Session: floods"*) head -c 500000000 /dev/zero & head -c 500000000 /dev/zero >&2; wait;;
  *) "$0" bomb 10;;
esac
`;

/** The cost of posts while an agent misbehaves, compared with posts without an agent in the same round. */
export const jobs = definePart<Round>({
  name: "jobs",
  rounds: { quick: 1, full: 3 },
  figures: [
    time("1 poster, p50, an agent writes 1 GB", "floods", "p50"),
    time("1 poster, p99, an agent writes 1 GB", "floods", "p99", { atMost: 2 }),
    time("1 poster, p50, agents are fork bombs", "multiplies", "p50"),
    time("1 poster, p99, agents are fork bombs", "multiplies", "p99", { atMost: 2 }),
  ],
  async open(stage, pace) {
    const broker = await startBrokerWithJobs(stage);
    const [posting] = await openSessions(broker.url, { sessions: 1, teams: 1 });
    if (!posting) throw new Error("There is no session to post to.");
    const sessions = {
      floods: await openSession(broker.url, "floods"),
      multiplies: await openSession(broker.url, "multiplies"),
    };
    const measure = async (agent: Agent): Promise<Ran> => {
      const over = new AbortController();
      const running = agent === "none" ? undefined : keepRunning(broker.url, sessions[agent], over.signal);
      const posts = await stage.load<PostsAnswer>({
        posts: {
          socketUrls: [broker.socketUrl],
          places: [posting],
          connections: 1,
          inFlightEach: 1,
          ...toTimes(pace),
        },
      });
      over.abort();
      return { posts, jobs: (await running) ?? 0 };
    };
    return {
      warmUp: () => measure("none"),
      measure: async () => ({
        none: await measure("none"),
        floods: await measure("floods"),
        multiplies: await measure("multiplies"),
      }),
      close: broker.stop,
    };
  },
  notes: (rounds) =>
    rounds.map(
      ({ floods, multiplies }, index) =>
        `Round ${index + 1}: ${floods.jobs} flooding and ${multiplies.jobs} multiplying agents ended.`,
    ),
});

/** Measures longer than usual, because the processes of a fork bomb run for about 15 seconds. */
function toTimes({ quick, warmUpMs }: Pace) {
  return { warmUpMs, measureMs: quick ? 5_000 : 10_000 };
}

interface BrokerWithJobs {
  readonly url: string;
  readonly socketUrl: string;
  stop(): Promise<void>;
}

/** Starts an unmodified `merkle up` that runs the fake agent. */
async function startBrokerWithJobs({ folder }: Stage): Promise<BrokerWithJobs> {
  const home = await mkdtemp(join(folder, "jobs-"));
  await chmod(home, 0o711);
  await mkdir(join(home, "bin"));
  const claude_bin = join(home, "bin", "claude");
  await writeFile(claude_bin, agentScript);
  await chmod(claude_bin, 0o755);
  await writeFile(join(home, "config.json"), JSON.stringify({ agent: { claude_bin } }));
  const program = getBuiltMerkle().start(["up", "--port", "0"], home);
  await program.nextLine();
  const { port }: { port: number } = JSON.parse(await readFile(join(home, "broker.json"), "utf8"));
  return {
    url: `http://127.0.0.1:${port}`,
    socketUrl: `ws://127.0.0.1:${port}/ws`,
    stop: program.stop,
  };
}

async function openSession(url: string, name: string): Promise<TeamInSession> {
  const { session_id, team_id } = await ask<TeamInSession>(`${url}/api/sessions`, {
    title: name,
    slug: name,
    creator_team_name: "Bench",
  });
  return { session_id, team_id, end: 0 };
}

/**
 * Runs jobs one after another until the signal aborts, and waits for the last job to end. Returns how many jobs ran.
 */
async function keepRunning(url: string, place: TeamInSession, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const { job_id } = await ask<{ job_id: number }>(
      `${url}/api/agent/jobs`,
      { kind: "conclude", session_id: place.session_id },
      place.team_id,
    );
    while (!(await ask<{ completed_at: string | null }>(`${url}/api/agent/jobs/${job_id}`)).completed_at) {
      await delay(100);
    }
    count += 1;
  }
  return count;
}

async function ask<Answer>(url: string, body?: object, team_id?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: body ? "POST" : "GET",
    headers: { "content-type": "application/json", ...(team_id && { "x-team-id": team_id }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`);
  // The answer has this type because the broker replies to an operation with its output.
  return answer as Answer;
}

function time(name: string, agent: Agent, which: "p50" | "p99", target?: Target): Figure<Round> {
  return {
    name,
    unit: "ms",
    limitName: `its ${which} without`,
    value: (round) => round[agent].posts[which],
    limit: (round) => round.none.posts[which],
    target,
  };
}
