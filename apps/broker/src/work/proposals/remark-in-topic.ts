import { insertTopicMessage, type ProposalRow } from "@merkle/db";
import type { PersonContext } from "../../context.js";
import type { Write } from "../../core/write.js";

/** Says in a proposal's topic what a person remarks about it, where the next agent reads it; a conclusion has none. */
export async function remarkInTopic(
  { services, person }: PersonContext,
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
