import { insertTopicMessage, type ProposalRow } from "@merkle/db";
import type { Write } from "../../core/write.js";
import type { PersonContext } from "../../sessions/context.js";
import type { JobServices } from "../jobs/services.js";

/** Says in a proposal's topic what a person remarks about it, where the next agent reads it; a conclusion has none. */
export async function remarkInTopic(
  { services, person }: PersonContext<JobServices>,
  { tx, afterCommit }: Write,
  { meshId, topic, number, sessionId }: ProposalRow,
  remark: string | null,
): Promise<void> {
  if (topic === null || remark === null) return;
  await insertTopicMessage(
    tx,
    { meshId, number: topic },
    {
      author: person.name,
      authorHuman: true,
      teamId: null,
      personId: person.personId,
      text: remark,
      proposal: number,
    },
  );
  afterCommit(() => services.mesh.announce("topics", sessionId));
}
