import { setTimeout as delay } from "node:timers/promises";
import type { JobStep } from "./watch-jobs.js";

/** What of a job's life a kill comes into. */
export interface Point {
  /** What the job's session is called: how its agent behaves. */
  readonly agent: "works" | "hang" | "deaf";
  /** Begins to wait for the point, before the job is started; resolves once it is reached. What it resolves with lets all go on. */
  await(stage: PointStage): Promise<{ reached: Promise<void>; release(): Promise<void> }>;
  /** Whether its job waits behind another one. */
  readonly behind?: true;
}

export interface PointStage {
  hold(step: JobStep): Promise<{ reached(): Promise<void>; release(): Promise<void> }>;
  onCommitted(step: JobStep): Promise<void>;
  /** How often an agent has said so. */
  marks(what: string): Promise<number>;
  /** SIGTERM. */
  askToEnd(): void;
  /** Whether who is killed tells the agent to end when it is told so itself. */
  readonly runsAgents: boolean;
}

const nothing = async () => undefined;

const held = (step: JobStep, agent: Point["agent"] = "works"): Point => ({
  agent,
  async await(stage) {
    const { reached, release } = await stage.hold(step);
    return { reached: reached(), release };
  },
});

const committed = (step: JobStep, agent: Point["agent"] = "works"): Point => ({
  agent,
  await: async (stage) => ({ reached: stage.onCommitted(step), release: nothing }),
});

const marked = (what: string, agent: Point["agent"]): Point => ({
  agent,
  async await(stage) {
    const before = await stage.marks(what);
    return { reached: untilMore(stage, what, before), release: nothing };
  },
});

async function untilMore(stage: PointStage, what: string, before: number): Promise<void> {
  while ((await stage.marks(what)) <= before) await delay(5);
}

/** The ten points at which whoever runs a job is killed. */
export const points = {
  "while it is queued": { ...marked("start", "hang"), behind: true },
  "before its claim commits": held("claim"),
  "after its claim, before its agent is started": committed("claim"),
  "after its agent was started": marked("start", "hang"),
  "during a renewal": held("renew", "hang"),
  "during its agent's write, before that commits": held("write"),
  "after its agent's write": committed("write"),
  "before its end is stored": marked("end", "works"),
  "after its end, before that is answered": held("end"),
  "during a shutdown": {
    agent: "deaf",
    async await(stage) {
      const before = { start: await stage.marks("start"), told: await stage.marks("told") };
      const reached = untilMore(stage, "start", before.start).then(() => {
        stage.askToEnd();
        return stage.runsAgents ? untilMore(stage, "told", before.told) : undefined;
      });
      return { reached, release: nothing };
    },
  },
} satisfies Readonly<Record<string, Point>>;

export type PointName = keyof typeof points;
