import { coreHandlers } from "./core-handlers.js";
import type { Feature } from "./feature.js";
import { a2aFeature } from "./features/a2a/feature.js";
import { agentsFeature } from "./features/agents/feature.js";
import { alertsFeature } from "./features/alerts/feature.js";
import { approvalsFeature } from "./features/approvals/feature.js";
import { type ArchiveServices, archiveFeature } from "./features/archive/feature.js";
import { auditFeature } from "./features/audit/feature.js";
import { briefFeature } from "./features/brief/feature.js";
import { type DemoServices, demoFeature } from "./features/demo/feature.js";
import { type ExportServices, exportFeature } from "./features/export/feature.js";
import { importFeature } from "./features/import/feature.js";
import { type JobServices, jobsFeature } from "./features/jobs/feature.js";
import { memoryFeature } from "./features/memory/feature.js";
import { oauthFeature } from "./features/oauth/feature.js";
import { personasFeature } from "./features/personas/feature.js";
import { perspectivesFeature } from "./features/perspectives/feature.js";
import { type ProgressServices, progressFeature } from "./features/progress/feature.js";
import { proposalsFeature } from "./features/proposals/feature.js";
import { redactionFeature } from "./features/redaction/feature.js";
import { type SealServices, sealFeature } from "./features/seal/feature.js";
import { type SearchServices, searchFeature } from "./features/search/feature.js";
import { type SourceServices, sourcesFeature } from "./features/sources/feature.js";
import { type StateServices, stateFeature } from "./features/state/feature.js";
import { tasksFeature } from "./features/tasks/feature.js";
import { timelineFeature } from "./features/timeline/feature.js";
import { type TopicServices, topicsFeature } from "./features/topics/feature.js";
import { usageFeature } from "./features/usage/feature.js";
import type { SessionFactReaders } from "./sessions/hooks.js";
import type { Handlers } from "./transports/context-for.js";
import type { Services as TransportServices } from "./transports/services.js";
import type { ViewHooks } from "./views/hooks.js";

/** Every feature, each after those that it needs. */
export const features = [
  tasksFeature,
  approvalsFeature,
  stateFeature,
  memoryFeature,
  progressFeature,
  auditFeature,
  sealFeature,
  exportFeature,
  importFeature,
  archiveFeature,
  redactionFeature,
  sourcesFeature,
  personasFeature,
  topicsFeature,
  perspectivesFeature,
  usageFeature,
  jobsFeature,
  proposalsFeature,
  searchFeature,
  briefFeature,
  alertsFeature,
  agentsFeature,
  timelineFeature,
  demoFeature,
  oauthFeature,
  a2aFeature,
] as const;

/** The services of the core and of all features, as they are seen in one mesh. */
export type Services = TransportServices &
  Pick<SealServices, "records"> &
  Pick<ArchiveServices, "archives"> &
  Pick<ExportServices, "recordPage"> &
  Pick<SourceServices, "sources"> &
  Pick<TopicServices, "anchorer"> &
  Pick<JobServices, "jobs"> &
  Pick<DemoServices, "demoRooms"> &
  Pick<StateServices, "stateAnnouncer"> &
  Pick<ProgressServices, "summariser"> &
  Pick<SearchServices, "indexer">;

// Every feature finds what it needs among the services of all.
const all: readonly Feature<Services>[] = features;

type AnyFeature = (typeof features)[number];

/** What features have of one kind, as one object. */
type Merged<Key extends keyof Feature> = Intersection<ValueOf<AnyFeature, Key>>;
type ValueOf<One, Key extends string> = One extends Readonly<Record<Key, infer Value>> ? Value : never;
type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** The verb of every operation: one that is missing, or has another context or output, does not compile. */
export const handlers: Handlers<Services> = { ...coreHandlers, ...merge("handlers") };

/** The operations that have more than one verb, of which there must be none. */
type HandledTwice<List> = List extends readonly [infer First, ...infer Rest]
  ? (HandledBy<First> & HandledBy<Rest[number]>) | HandledTwice<Rest>
  : never;
type HandledBy<One> = One extends { readonly handlers: infer Own } ? keyof Own : never;
type None<Names extends never> = Names;
export type NoneTwice = None<HandledTwice<readonly [{ handlers: typeof coreHandlers }, ...typeof features]>>;

const sessionFacts: SessionFactReaders = merge("sessionFacts");

/** What the features add to the core. */
export const hooks: ViewHooks<Services> = {
  sessionFacts,
  onCreateSession: all.flatMap(({ onCreateSession = [] }) => onCreateSession),
  onDocumentWritten: all.flatMap(({ onDocumentWritten = [] }) => onDocumentWritten),
  onConclude: all.flatMap(({ onConclude = [] }) => onConclude),
  attention: all.flatMap(({ attention = [] }) => attention),
  purge: Object.assign({}, ...all.map(({ purge }) => purge)),
  personData: all.flatMap(({ personData = [] }) => personData),
};

/** The routes that features add. */
export const mounts = all.flatMap(({ mount = [] }) => mount);

function merge<Key extends "handlers" | "sessionFacts">(key: Key): Merged<Key> {
  return Object.assign({}, ...all.map((feature) => feature[key]));
}
