import * as agents from "./features/agents/feature.js";
import * as alerts from "./features/alerts/feature.js";
import * as approvals from "./features/approvals/feature.js";
import * as archive from "./features/archive/feature.js";
import * as attachments from "./features/attachments/feature.js";
import * as audit from "./features/audit/feature.js";
import * as brief from "./features/brief/feature.js";
import * as checkouts from "./features/checkouts/feature.js";
import * as demo from "./features/demo/feature.js";
import * as jobs from "./features/jobs/feature.js";
import * as memory from "./features/memory/feature.js";
import * as oauth from "./features/oauth/feature.js";
import * as personas from "./features/personas/feature.js";
import * as perspectives from "./features/perspectives/feature.js";
import * as progress from "./features/progress/feature.js";
import * as proposals from "./features/proposals/feature.js";
import * as redaction from "./features/redaction/feature.js";
import * as seal from "./features/seal/feature.js";
import * as search from "./features/search/feature.js";
import * as sources from "./features/sources/feature.js";
import * as state from "./features/state/feature.js";
import * as tasks from "./features/tasks/feature.js";
import * as timeline from "./features/timeline/feature.js";
import * as topics from "./features/topics/feature.js";
import * as usage from "./features/usage/feature.js";
import * as witness from "./features/witness/feature.js";
import { coreRules } from "./operations/rules.js";

/**
 * The rules of all operations. Descriptions and schemas are separate because they need zod, which browsers do
 * not load and which would take most commands longer to load than to run.
 */
export const operationRules = {
  ...coreRules,
  ...agents.rules,
  ...alerts.rules,
  ...approvals.rules,
  ...archive.rules,
  ...attachments.rules,
  ...audit.rules,
  ...brief.rules,
  ...checkouts.rules,
  ...demo.rules,
  ...jobs.rules,
  ...memory.rules,
  ...oauth.rules,
  ...personas.rules,
  ...perspectives.rules,
  ...progress.rules,
  ...proposals.rules,
  ...redaction.rules,
  ...seal.rules,
  ...search.rules,
  ...sources.rules,
  ...state.rules,
  ...tasks.rules,
  ...timeline.rules,
  ...topics.rules,
  ...usage.rules,
  ...witness.rules,
};
