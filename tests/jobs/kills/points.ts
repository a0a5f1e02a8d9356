import { setTimeout as delay } from "node:timers/promises";
import type { JobStep } from "./watch-jobs.js";

/** A point in a job's life at which the victim is killed. */
export interface KillPoint {
  /** The agent's behaviour, encoded in the name of the job's session. */
  readonly agent: "works" | "hang" | "deaf";
  /** Starts waiting for the point before the job starts. `reached` resolves at the point, and `release` lets the job continue. */
  await(stage: PointStage): Promise<{ reached: Promise<void>; release(): Promise<void> }>;
  /** True if the job is queued behind another job. */
  readonly behind?: true;
}

export interface PointStage {
  hold(step: JobStep): Promise<{ reached(): Promise<void>; release(): Promise<void> }>;
  onCommitted(step: JobStep): Promise<void>;
  /** Returns how many times agents have logged this step. */
  countMarks(what: string): Promise<number>;
  /** Sends SIGTERM to the victim. */
  askToEnd(): void;
  /** True if the victim forwards a SIGTERM to its agents. */
  readonly runsAgents: boolean;
}

const noop = async () => undefined;

const held = (step: JobStep, agent: KillPoint["agent"] = "works"): KillPoint => ({
  agent,
  async await(stage) {
    const { reached, release } = await stage.hold(step);
    return { reached: reached(), release };
  },
});

const committed = (step: JobStep, agent: KillPoint["agent"] = "works"): KillPoint => ({
  agent,
  await: async (stage) => ({ reached: stage.onCommitted(step), release: noop }),
});

const marked = (what: string, agent: KillPoint["agent"]): KillPoint => ({
  agent,
  async await(stage) {
    const before = await stage.countMarks(what);
    return { reached: untilMore(stage, what, before), release: noop };
  },
});

async function untilMore(stage: PointStage, what: string, before: number): Promise<void> {
  while ((await stage.countMarks(what)) <= before) await delay(5);
}

/** The ten points at which the campaign kills the process that runs a job. */
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
      const before = { start: await stage.countMarks("start"), told: await stage.countMarks("told") };
      const reached = untilMore(stage, "start", before.start).then(() => {
        stage.askToEnd();
        return stage.runsAgents ? untilMore(stage, "told", before.told) : undefined;
      });
      return { reached, release: noop };
    },
  },
} satisfies Readonly<Record<string, KillPoint>>;

export type PointName = keyof typeof points;
