import type { Verb } from "./verb.js";
import { conclude } from "./verbs/conclude.js";
import { getPersona } from "./verbs/get-persona.js";
import { getTopic } from "./verbs/get-topic.js";
import { insertProposal } from "./verbs/insert-proposal.js";
import { listOpenTopics } from "./verbs/list-open-topics.js";
import { putPerspective } from "./verbs/put-perspective.js";
import { readDoc } from "./verbs/read-doc.js";
import { readDraft } from "./verbs/read-draft.js";
import { readFeed } from "./verbs/read-feed.js";
import { readMessage } from "./verbs/read-message.js";
import { readSource } from "./verbs/read-source.js";

/** All that `merkle agent` does; which of them a job's credential is good for the broker says. */
export const verbs: readonly Verb[] = [
  readFeed,
  readMessage,
  readDoc,
  readSource,
  readDraft,
  getTopic,
  listOpenTopics,
  insertProposal,
  getPersona,
  putPerspective,
  conclude,
];
