import { expect } from "vitest";
import type { FakeRunner } from "../kit/fake-runner.js";
import type { TransportClient } from "../kit/transports.js";

/** Actions that a person can take on a file. */
export interface FileWork {
  /** Opens a topic about the whole file. Returns the topic's number. */
  openTopic(): Promise<number>;
  /** Proposes to add a line at the end of the file. Returns the proposal's number. */
  propose(topic_id: number, line: string): Promise<number>;
  /** Starts a job for a topic and makes it fail. Returns the job's number. */
  failJob(topic_id: number): Promise<number>;
}

export function workOnFile(
  transport: Pick<TransportClient, "call">,
  { source_path, team_id, runner }: { source_path: string; team_id: string; runner: FakeRunner },
): FileWork {
  return {
    async openTopic() {
      const { source_sha } = await transport.call("read_source", { source_path });
      const opening = { source_path, source_sha, text: "Longer.", team_id };
      return (await transport.call("open_topic", opening)).topic_id;
    },
    async propose(topic_id, line) {
      const { source_sha: base_sha, text } = await transport.call("read_source", { source_path });
      const proposing = { topic_id, base_sha, content: `${text}\n${line}\n`, team_id };
      return (await transport.call("insert_proposal", proposing)).proposal_id;
    },
    async failJob(topic_id) {
      const starting = { kind: "incorporate", source_path, topic_id, team_id } as const;
      const { job_id } = await transport.call("start_job", starting);
      (await runner.next()).end({ exit_code: 3 });
      await expect.poll(async () => (await transport.call("get_job", { job_id })).status).toBe("failed");
      return job_id;
    },
  };
}
