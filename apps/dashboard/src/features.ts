import { agents } from "./features/agents/feature";
import { alerts } from "./features/alerts/feature";
import { approvals } from "./features/approvals/feature";
import { attachments } from "./features/attachments/feature";
import { audit } from "./features/audit/feature";
import { brief } from "./features/brief/feature";
import { checkouts } from "./features/checkouts/feature";
import { demo } from "./features/demo/feature";
import { exports } from "./features/export/feature";
import { jobs } from "./features/jobs/feature";
import { memory } from "./features/memory/feature";
import { oauth } from "./features/oauth/feature";
import { ownWords } from "./features/own-words/feature";
import { personas } from "./features/personas/feature";
import { perspectives } from "./features/perspectives/feature";
import { progress } from "./features/progress/feature";
import { proposals } from "./features/proposals/feature";
import { redaction } from "./features/redaction/feature";
import { seal } from "./features/seal/feature";
import { search } from "./features/search/feature";
import { sources } from "./features/sources/feature";
import { state } from "./features/state/feature";
import { tasks } from "./features/tasks/feature";
import { timeline } from "./features/timeline/feature";
import { topics } from "./features/topics/feature";
import { usage } from "./features/usage/feature";
import { verify } from "./features/verify/feature";
import type { Feature } from "./parts/feature";

/** All features. Their pages, tabs and sections appear in this order. */
export const features: readonly Feature[] = [
  agents,
  approvals,
  tasks,
  state,
  memory,
  progress,
  audit,
  sources,
  search,
  verify,
  exports,
  seal,
  jobs,
  checkouts,
  usage,
  alerts,
  ownWords,
  personas,
  attachments,
  topics,
  proposals,
  redaction,
  perspectives,
  timeline,
  brief,
  demo,
  oauth,
];
