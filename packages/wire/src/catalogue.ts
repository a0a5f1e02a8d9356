import type * as z from "zod";
import * as agents from "./features/agents/operations.js";
import * as alerts from "./features/alerts/operations.js";
import * as approvals from "./features/approvals/operations.js";
import * as archive from "./features/archive/operations.js";
import * as attachments from "./features/attachments/operations.js";
import * as audit from "./features/audit/operations.js";
import * as brief from "./features/brief/operations.js";
import * as checkouts from "./features/checkouts/operations.js";
import * as demo from "./features/demo/operations.js";
import * as jobs from "./features/jobs/operations.js";
import * as memory from "./features/memory/operations.js";
import * as oauth from "./features/oauth/operations.js";
import * as personas from "./features/personas/operations.js";
import * as perspectives from "./features/perspectives/operations.js";
import * as progress from "./features/progress/operations.js";
import * as proposals from "./features/proposals/operations.js";
import * as redaction from "./features/redaction/operations.js";
import * as seal from "./features/seal/operations.js";
import * as search from "./features/search/operations.js";
import * as sources from "./features/sources/operations.js";
import * as state from "./features/state/operations.js";
import * as tasks from "./features/tasks/operations.js";
import * as timeline from "./features/timeline/operations.js";
import * as topics from "./features/topics/operations.js";
import * as usage from "./features/usage/operations.js";
import * as witness from "./features/witness/operations.js";
import { operationRules } from "./features.js";
import * as app from "./operations/app.js";
import * as attention from "./operations/attention.js";
import * as document from "./operations/document.js";
import * as feed from "./operations/feed.js";
import * as health from "./operations/health.js";
import * as identity from "./operations/identity.js";
import * as messaging from "./operations/messaging.js";
import type { Operation } from "./operations/operation.js";
import { toolsets } from "./operations/operation-rules.js";
import * as peers from "./operations/peers.js";
import * as people from "./operations/people.js";
import * as persons from "./operations/persons.js";
import * as roster from "./operations/roster.js";
import * as sessions from "./operations/sessions.js";
import * as settings from "./operations/settings.js";
import * as undelivered from "./operations/undelivered.js";
import type { OperationName } from "./rules.js";

/** The operations that a module exports, keyed by operation name. */
type OperationsOf<Exports> = {
  readonly [Key in keyof Exports as Exports[Key] extends Operation<infer Name, infer _Input, infer _Output>
    ? Name
    : never]: Exports[Key];
};

const exported = {
  ...app,
  ...attention,
  ...document,
  ...feed,
  ...health,
  ...identity,
  ...messaging,
  ...peers,
  ...people,
  ...persons,
  ...roster,
  ...sessions,
  ...settings,
  ...undelivered,
  ...agents,
  ...alerts,
  ...approvals,
  ...archive,
  ...attachments,
  ...audit,
  ...brief,
  ...checkouts,
  ...demo,
  ...jobs,
  ...memory,
  ...oauth,
  ...personas,
  ...perspectives,
  ...progress,
  ...proposals,
  ...redaction,
  ...seal,
  ...search,
  ...sources,
  ...state,
  ...tasks,
  ...timeline,
  ...topics,
  ...usage,
  ...witness,
};

const operationsByName: ReadonlyMap<string, Operation> = new Map(
  Object.values(exported)
    .filter((each) => "compact" in each)
    .map((each) => [each.name, each as unknown as Operation]),
);

/**
 * All operations of the broker by name, in the order of toolsets. If an operation has rules but no
 * definition, this does not compile.
 */
export const catalogue = Object.fromEntries(
  toolsets.flatMap((toolset) =>
    Object.entries(operationRules)
      .filter(([, rules]) => rules.toolset === toolset)
      .map(([name]) => [name, operationsByName.get(name)]),
  ),
) as unknown as OperationsOf<typeof exported> satisfies Readonly<
  Record<OperationName, { readonly name: string }>
>;

export type Catalogue = typeof catalogue;

/** An operation's input as a caller passes it, before defaults are applied. */
export type InputOf<Name extends OperationName> = z.input<Catalogue[Name]["input"]>;
/** An operation's input as its handler receives it: validated, with defaults. */
export type ParsedInputOf<Name extends OperationName> = z.output<Catalogue[Name]["input"]>;
export type OutputOf<Name extends OperationName> = z.output<Catalogue[Name]["output"]>;

export const operations: readonly Operation[] = Object.values(catalogue) as unknown as readonly Operation[];

/**
 * Returns the operation with this name, or undefined. Safe for any string, including names such as
 * `__proto__`.
 */
export function findOperation(name: string): Operation | undefined {
  return operationsByName.get(name);
}
