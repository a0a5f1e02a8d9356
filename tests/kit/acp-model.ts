import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The command of the test's ACP agent, whose model is the test. */
export const acpAgentCommand = [process.execPath, fileURLToPath(new URL("./acp-agent.mjs", import.meta.url))];

type AgentEvent = Readonly<Record<string, unknown>> & { readonly event: string };

/** The model of an ACP agent: the test reads the agent's prompts and decides each step of its turns. */
export interface AcpModel {
  /** The variables with which the agent finds this model. */
  readonly env: Readonly<Record<string, string>>;
  /** Every event that the agent has reported. */
  readonly events: readonly AgentEvent[];
  /** Resolves with the next event of this kind that was not read yet. */
  next(event: string): Promise<AgentEvent>;
  /** Resolves with the texts of the next prompt. */
  nextPrompt(): Promise<string>;
  /** Makes the agent do a step in its running turn. */
  step(step: string, fields?: object): void;
  /** Ends the running turn. */
  end(stopReason?: string): void;
}

export async function startAcpModel(): Promise<AcpModel> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-acp-"));
  const path = join(folder, "model.sock");
  const events: AgentEvent[] = [];
  const read = new Set<AgentEvent>();
  const listeners = new Set<() => void>();
  let agent: Socket | undefined;
  const server = createServer((socket) => {
    agent = socket;
    const lines = createInterface({ input: socket });
    // A test that kills the agent resets the connection.
    for (const each of [socket, lines]) each.on("error", () => undefined);
    lines.on("line", (line) => {
      events.push(JSON.parse(line));
      for (const listener of [...listeners]) listener();
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(async () => {
    agent?.destroy();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  function next(name: string): Promise<AgentEvent> {
    return new Promise((resolve) => {
      const check = () => {
        const event = events.find((each) => each.event === name && !read.has(each));
        if (!event) return;
        read.add(event);
        listeners.delete(check);
        resolve(event);
      };
      listeners.add(check);
      check();
    });
  }

  const step = (name: string, fields: object = {}) =>
    void agent?.write(`${JSON.stringify({ step: name, ...fields })}\n`);
  return {
    env: { TEST_MODEL: path },
    events,
    next,
    nextPrompt: async () => (((await next("prompt"))["texts"] as string[]) ?? []).join("\n"),
    step,
    end: (stopReason = "end_turn") => step("end", { stopReason }),
  };
}
