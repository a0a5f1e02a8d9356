import {
  getPersona,
  getTopic,
  listOpenTopics,
  readDoc,
  readDraft,
  readFeed,
  readMessage,
  readSource,
} from "./read-verbs.js";
import type { Verb } from "./verb.js";
import { conclude, insertProposal, putPerspective } from "./write-verbs.js";

/** All subcommands of `merkle agent`. The broker decides which of them a job's credential may use. */
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
