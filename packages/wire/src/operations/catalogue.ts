import type * as z from "zod";
import * as agents from "./agents.js";
import * as alerts from "./alerts.js";
import * as app from "./app.js";
import * as approvals from "./approvals.js";
import * as archive from "./archive.js";
import * as attention from "./attention.js";
import * as audit from "./audit.js";
import * as brief from "./brief.js";
import * as claims from "./claims.js";
import * as clients from "./clients.js";
import * as document from "./document.js";
import * as feed from "./feed.js";
import * as health from "./health.js";
import * as identity from "./identity.js";
import * as memory from "./memory.js";
import * as messaging from "./messaging.js";
import type { Operation } from "./operation.js";
import * as peers from "./peers.js";
import * as people from "./people.js";
import * as personas from "./personas.js";
import * as persons from "./persons.js";
import * as perspectives from "./perspectives.js";
import * as progress from "./progress.js";
import * as proposals from "./proposals.js";
import * as record from "./record.js";
import * as redaction from "./redaction.js";
import * as roster from "./roster.js";
import { type OperationName, operationRules } from "./rules.js";
import * as runner from "./runner.js";
import * as scopes from "./scopes.js";
import * as sessions from "./sessions.js";
import * as settings from "./settings.js";
import * as sources from "./sources.js";
import * as state from "./state.js";
import * as tasks from "./tasks.js";
import * as timeline from "./timeline.js";
import * as topics from "./topics.js";
import * as undelivered from "./undelivered.js";
import * as usage from "./usage.js";
import * as work from "./work.js";

/** The operations among what a file exports, by their names. */
type OperationsOf<Exports> = {
  readonly [Key in keyof Exports as Exports[Key] extends Operation<infer Name, infer _Input, infer _Output>
    ? Name
    : never]: Exports[Key];
};

const exported = {
  ...agents,
  ...alerts,
  ...app,
  ...approvals,
  ...archive,
  ...attention,
  ...audit,
  ...brief,
  ...brief,
  ...claims,
  ...clients,
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
  ...usage,
  ...timeline,
  ...topics,
  ...undelivered,
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

/** The input as a caller passes it, before defaults are filled in. */
export type InputOf<Name extends OperationName> = z.input<Catalogue[Name]["input"]>;
/** The input as a verb receives it: checked, with defaults. */
export type ParsedInputOf<Name extends OperationName> = z.output<Catalogue[Name]["input"]>;
export type OutputOf<Name extends OperationName> = z.output<Catalogue[Name]["output"]>;

export const operations: readonly Operation[] = Object.values(catalogue) as unknown as readonly Operation[];

/** The operation of that name, or undefined; safe for any text, `__proto__` included. */
export function findOperation(name: string): Operation | undefined {
  return operationsByName.get(name);
}
