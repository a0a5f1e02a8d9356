import type * as z from "zod";
import type { Operation } from "./operation.js";
import * as app from "./operations/app.js";
import * as attention from "./operations/attention.js";
import * as audit from "./operations/audit.js";
import * as claims from "./operations/claims.js";
import * as document from "./operations/document.js";
import * as feed from "./operations/feed.js";
import * as health from "./operations/health.js";
import * as identity from "./operations/identity.js";
import * as memory from "./operations/memory.js";
import * as messaging from "./operations/messaging.js";
import * as peers from "./operations/peers.js";
import * as people from "./operations/people.js";
import * as personas from "./operations/personas.js";
import * as persons from "./operations/persons.js";
import * as perspectives from "./operations/perspectives.js";
import * as progress from "./operations/progress.js";
import * as proposals from "./operations/proposals.js";
import * as record from "./operations/record.js";
import * as redaction from "./operations/redaction.js";
import * as roster from "./operations/roster.js";
import { type OperationName, operationRules } from "./operations/rules.js";
import * as runner from "./operations/runner.js";
import * as scopes from "./operations/scopes.js";
import * as sessions from "./operations/sessions.js";
import * as settings from "./operations/settings.js";
import * as sources from "./operations/sources.js";
import * as state from "./operations/state.js";
import * as tasks from "./operations/tasks.js";
import * as timeline from "./operations/timeline.js";
import * as topics from "./operations/topics.js";
import * as work from "./operations/work.js";

/** The operations among what a file exports, by their names. */
type OperationsOf<Exports> = {
  readonly [Key in keyof Exports as Exports[Key] extends Operation<infer Name, infer _Input, infer _Output>
    ? Name
    : never]: Exports[Key];
};

const exported = {
  ...app,
  ...attention,
  ...audit,
  ...claims,
  ...document,
  ...feed,
  ...health,
  ...identity,
  ...memory,
  ...messaging,
  ...peers,
  ...people,
  ...personas,
  ...persons,
  ...perspectives,
  ...progress,
  ...proposals,
  ...record,
  ...redaction,
  ...roster,
  ...runner,
  ...scopes,
  ...sessions,
  ...settings,
  ...sources,
  ...state,
  ...tasks,
  ...timeline,
  ...topics,
  ...work,
};

const operationsByName: ReadonlyMap<string, Operation> = new Map(
  Object.values(exported)
    .filter((each) => "compact" in each)
    .map((each) => [each.name, each as unknown as Operation]),
);

/**
 * Every operation of the broker, by name, in the order that documentation lists them. One that has rules and is not declared
 * does not compile.
 */
export const catalogue = Object.fromEntries(
  Object.keys(operationRules).map((name) => [name, operationsByName.get(name)]),
) as unknown as OperationsOf<typeof exported> satisfies Readonly<
  Record<OperationName, { readonly name: string }>
>;

export type Catalogue = typeof catalogue;

/** What a caller passes, before defaults are filled in. */
export type InputOf<Name extends OperationName> = z.input<Catalogue[Name]["input"]>;
/** What a verb receives: checked, with defaults. */
export type ParsedInputOf<Name extends OperationName> = z.output<Catalogue[Name]["input"]>;
export type OutputOf<Name extends OperationName> = z.output<Catalogue[Name]["output"]>;

export const operations: readonly Operation[] = Object.values(catalogue) as unknown as readonly Operation[];

/** The operation of that name, or undefined; safe for any text, `__proto__` included. */
export function findOperation(name: string): Operation | undefined {
  return operationsByName.get(name);
}
