import type { Transaction } from "@merkle/db";
import { coreHandlers } from "./core-handlers.js";
import type { Feature, StartParts } from "./feature.js";
import { a2aFeature } from "./features/a2a/feature.js";
import { agentsFeature } from "./features/agents/feature.js";
import { alertsFeature } from "./features/alerts/feature.js";
import { approvalsFeature } from "./features/approvals/feature.js";
import { archiveFeature } from "./features/archive/feature.js";
import { attachmentsFeature } from "./features/attachments/feature.js";
import { auditFeature } from "./features/audit/feature.js";
import { briefFeature } from "./features/brief/feature.js";
import { checkoutsFeature } from "./features/checkouts/feature.js";
import { demoFeature } from "./features/demo/feature.js";
import { exportFeature } from "./features/export/feature.js";
import { importFeature } from "./features/import/feature.js";
import { jobsFeature } from "./features/jobs/feature.js";
import { memoryFeature } from "./features/memory/feature.js";
import { oauthFeature } from "./features/oauth/feature.js";
import { personasFeature } from "./features/personas/feature.js";
import { perspectivesFeature } from "./features/perspectives/feature.js";
import { progressFeature } from "./features/progress/feature.js";
import { proposalsFeature } from "./features/proposals/feature.js";
import { redactionFeature } from "./features/redaction/feature.js";
import { sealFeature } from "./features/seal/feature.js";
import { searchFeature } from "./features/search/feature.js";
import { sourcesFeature } from "./features/sources/feature.js";
import { stateFeature } from "./features/state/feature.js";
import { tasksFeature } from "./features/tasks/feature.js";
import { timelineFeature } from "./features/timeline/feature.js";
import { topicsFeature } from "./features/topics/feature.js";
import { usageFeature } from "./features/usage/feature.js";
import { witnessFeature } from "./features/witness/feature.js";
import type { PeerFactReaders, SessionFactReaders } from "./sessions/hooks.js";
import type { Handlers } from "./transports/context-for.js";
import type { Meshes, Services as TransportServices } from "./transports/services.js";
import type { ViewHooks } from "./views/hooks.js";

/** All features. Each feature comes after the features that it needs. */
export const features = [
  tasksFeature,
  checkoutsFeature,
  attachmentsFeature,
  approvalsFeature,
  stateFeature,
  memoryFeature,
  progressFeature,
  auditFeature,
  sealFeature,
  witnessFeature,
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

type AnyFeature = (typeof features)[number];

/** The services of the core and of all features, limited to one mesh. */
export type AllServices = TransportServices & FeatureServices & StartedInMesh;

/** The services that features start. */
type FeatureServices = object & Intersection<Awaited<ReturnOf<AnyFeature, "start">>>;

type StartedInMesh = object & Intersection<ReturnOf<AnyFeature, "inMesh">>;

/** The broker options that features read. */
export type FeatureOptions = object & Intersection<OptionsOf<AnyFeature>>;

type ReturnOf<One, Key extends string> =
  One extends Readonly<Record<Key, (...given: never) => infer Result>> ? Result : never;
type OptionsOf<One> = One extends { readonly start: (parts: infer Parts, needed: never) => unknown }
  ? Parts extends { readonly options: infer Options }
    ? unknown extends Options
      ? never
      : Options
    : never
  : never;
type MergedParts<Key extends keyof Feature> = object & Intersection<ValueOf<AnyFeature, Key>>;
type ValueOf<One, Key extends string> = One extends Readonly<Record<Key, infer Value>> ? Value : never;
type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

// The combined services of all features include the services that each feature needs.
const all: readonly Feature<AllServices, FeatureOptions>[] = features;

/**
 * The handler of every operation. If a handler is missing, or has the wrong context or output, the code does
 * not compile.
 */
export const handlers: Handlers<AllServices> = { ...coreHandlers, ...merge("handlers") };

/** The names of operations that have more than one handler. Must be empty. */
type HandledTwice<List> = List extends readonly [infer First, ...infer Rest]
  ? (HandledBy<First> & HandledBy<Rest[number]>) | HandledTwice<Rest>
  : never;
type HandledBy<One> = One extends { readonly handlers: infer Own } ? keyof Own : never;
type None<Names extends never> = Names;
export type NoneTwice = None<HandledTwice<readonly [{ handlers: typeof coreHandlers }, ...typeof features]>>;

const sessionFacts: SessionFactReaders = merge("sessionFacts");
const peerFacts: PeerFactReaders = merge("peerFacts");

/** The hooks of all features. */
export const hooks: ViewHooks<AllServices> = {
  sessionFacts,
  peerFacts,
  onAttach: all.flatMap(({ onAttach = [] }) => onAttach),
  onCreateSession: all.flatMap(({ onCreateSession = [] }) => onCreateSession),
  onDocumentWritten: all.flatMap(({ onDocumentWritten = [] }) => onDocumentWritten),
  onConclude: all.flatMap(({ onConclude = [] }) => onConclude),
  attention: all.flatMap(({ attention = [] }) => attention),
  purge: Object.assign({}, ...all.map(({ purge }) => purge)),
  personData: all.flatMap(({ personData = [] }) => personData),
  onRemoveText: all.flatMap(({ onRemoveText = [] }) => onRemoveText),
  onImport: all.flatMap(({ onImport = [] }) => onImport),
  onExport: all.flatMap(({ onExport = [] }) => onExport),
};

/** The routes that features add. */
export const mounts = all.flatMap(({ mount = [] }) => mount);

/**
 * Returns the URL of the metadata that explains to clients how to get access to the MCP endpoint at this path
 * (RFC 9728), or null.
 */
export function findMetadataUrl(services: AllServices, path: string): string | null {
  return all.find((feature) => feature.toMetadataUrl)?.toMetadataUrl?.(services, path) ?? null;
}

/** @throws StartError for invalid options */
export function checkOptions(options: FeatureOptions): void {
  for (const feature of all) feature.checkOptions?.(options);
}

/** Returns whether the options let anyone who can reach the broker change files on this machine. */
export function opensFiles(options: FeatureOptions): boolean {
  return all.some((feature) => feature.opensFiles?.(options));
}

export type OptionFacts = { readonly [Name in keyof MergedParts<"describeOptions">]: string };

/** Returns human-readable descriptions of all features' options. */
export function describeOptions(options: FeatureOptions): OptionFacts {
  const facts = all.flatMap(({ describeOptions: own = {} }) =>
    Object.entries(own).map(([name, describe]) => [name, describe(options)]),
  );
  return Object.fromEntries(facts);
}

/** Starts the services of all features, each after those that it needs. */
export async function startFeatures(parts: StartParts<FeatureOptions>): Promise<FeatureServices> {
  const started = {} as AllServices;
  for (const { start } of all) Object.assign(started, await start?.(parts, started));
  return started;
}

/** Returns the services of all features for one mesh. */
export function startInMesh(started: FeatureServices, meshId: string): StartedInMesh {
  return Object.assign({}, ...all.map(({ inMesh }) => inMesh?.(started as AllServices, meshId)));
}

/** Adds the initial data of all features to a new mesh. */
export async function seedMesh(tx: Transaction, meshId: string): Promise<void> {
  for (const feature of all) await feature.seedMesh?.(tx, meshId);
}

/** Starts the repeated work of all features. Returns functions that each stop one kind of work. */
export function repeatWork(meshes: Meshes<AllServices>): (() => void)[] {
  return all.flatMap(({ repeat }) =>
    repeat ? meshes.main.tasks.repeat(repeat.name, repeat.everyMs, repeat.begin(meshes)) : [],
  );
}

export async function tidyUpFeatures(services: AllServices): Promise<void> {
  for (const feature of all) await feature.tidyUp?.(services);
}

export async function catchUpFeatures(services: AllServices): Promise<void> {
  for (const feature of all) await feature.catchUp?.(services);
}

function merge<Key extends "handlers" | "sessionFacts" | "peerFacts">(key: Key): MergedParts<Key> {
  return Object.assign({}, ...all.map((feature) => feature[key]));
}
