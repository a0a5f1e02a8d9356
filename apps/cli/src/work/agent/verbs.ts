import { conclude } from "../../agent/verbs/conclude.js";
import { getTopic } from "../../agent/verbs/get-topic.js";
import { listOpenTopics } from "../../agent/verbs/list-open-topics.js";
import { putPerspective } from "../../agent/verbs/put-perspective.js";
import { readDoc } from "../../agent/verbs/read-doc.js";
import { readDraft } from "../../agent/verbs/read-draft.js";
import { readFeed } from "../../agent/verbs/read-feed.js";
import { readMessage } from "../../agent/verbs/read-message.js";
import { readSource } from "../../agent/verbs/read-source.js";
import { getPersona } from "./read-verbs.js";
import type { Verb } from "./verb.js";
import { insertProposal } from "./write-verbs.js";

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
