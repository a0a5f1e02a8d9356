import * as z from "zod";
import { jsonValue } from "../../core/json-value.js";
import { limits } from "../../core/limits.js";
import {
  asTeam,
  inSession,
  lineOfChars,
  retryable,
  StorableText,
  Timestamp,
  Version,
} from "../../core/values.js";
import { formatMessageTime } from "../../feed/compact.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines, toNeutralJson } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

export const StateKey = lineOfChars(limits.stateKeyCharsMax).meta({ examples: ["deploy_frozen"] });
const KeyPart = StorableText.max(limits.stateKeyCharsMax);

const StateValue = jsonValue({
  bytesMax: limits.stateValueBytesMax,
  depthMax: limits.stateValueDepthMax,
}).meta({ description: "Any JSON value." });

/** Where a state key applies: in one session, or in all sessions of the mesh (STATE-1). */
export const StateScope = z.enum(["session", "mesh"]);
export type StateScope = z.output<typeof StateScope>;
const inScope = {
  scope: StateScope.default("session").meta({ description: "mesh: shared by all sessions." }),
};

const KeyVersion = Version.meta({ description: "The key's version: +1 on every change of it." });

export const StateEntry = z
  .object({
    key: z.string(),
    value: z.unknown().optional().meta({ description: "Any JSON value; left out for a deleted key." }),
    deleted: z.boolean(),
    redacted: z.literal(true).optional().meta({ description: "An earlier value that was removed." }),
    version: KeyVersion,
    updatedBy: z.string(),
    updatedAt: Timestamp,
  })
  .meta({ id: "StateEntry" });
export type StateEntry = z.output<typeof StateEntry>;

const expectedVersion = {
  expected_version: KeyVersion.optional().meta({
    description: "Only if this is the key's version; 0: only if the key is not set.",
  }),
};

export const getState = operation("get_state", {
  summary: "Read one shared fact by its key, such as deploy_frozen. For lasting knowledge, use recall.",
  unlisted: ["watchers"],
  unlistedOverStdio: ["history"],
  input: z.strictObject({
    ...inSession,
    key: StateKey,
    ...inScope,
    history: z.boolean().default(false).meta({ description: "Also its last values, newest first." }),
    watchers: z.boolean().default(false).meta({ description: "Also who watches it." }),
    ...asTeam,
  }),
  output: StateEntry.extend({
    history: z.array(StateEntry).optional(),
    watched_by: z.array(z.string()).optional(),
  }),
  errors: ["unauthorized", "not_found"],
  verbatim: ["value"],
  compact: ({ history, watched_by, ...entry }) =>
    joinLines(
      compactEntry(entry),
      ...(history ?? []).map(compactEntry),
      watched_by && `watched by ${watched_by.map(formatInlineName).join(", ") || "nobody"}`,
    ),
});

export const setState = operation("set_state", {
  summary:
    "Set a shared fact, so that no one has to ask for it; watchers are notified. For facts that should outlast the session, use remember.",
  input: z.strictObject({
    ...inSession,
    key: StateKey,
    value: StateValue,
    ...expectedVersion,
    ...inScope,
    ...asTeam,
    ...retryable,
  }),
  output: StateEntry.extend({
    changed: z.boolean(),
    previous: StateEntry.nullable(),
    watchers: z.int().meta({ description: "How many other peers watch it." }),
  }),
  errors: ["unauthorized", "session_closed", "not_found", "conflict"],
  compact: ({ key, version, changed, watchers }) =>
    changed
      ? `set ${formatInlineName(key)} v${version}${watchers > 0 ? `, notified ${watchers}` : ""}`
      : `state ${formatInlineName(key)} already has that value, v${version}`,
});

export const deleteState = operation("delete_state", {
  summary: "Delete a shared fact that is no longer true; its history is kept.",
  unlistedOverStdio: true,
  input: z.strictObject({
    ...inSession,
    key: StateKey,
    ...expectedVersion,
    ...inScope,
    ...asTeam,
    ...retryable,
  }),
  output: z.object({ key: z.string(), version: KeyVersion, changed: z.boolean() }),
  errors: ["unauthorized", "session_closed", "not_found", "conflict"],
  compact: ({ key }) => `deleted ${formatInlineName(key)}`,
});

export const listState = operation("list_state", {
  summary: "List the shared facts, or those whose keys begin with a prefix.",
  unlistedOverStdio: ["limit"],
  input: z.strictObject({
    ...inSession,
    prefix: KeyPart.optional(),
    ...inScope,
    limit: z.int().min(1).max(limits.statePageMax).default(limits.statePageDefault),
    after: KeyPart.optional().meta({ description: "next_cursor of the last page." }),
    ...asTeam,
  }),
  output: z.object({ entries: z.array(StateEntry), next_cursor: z.string().nullable() }),
  errors: ["unauthorized", "not_found"],
  verbatim: ["value"],
  compact: ({ entries, next_cursor }) =>
    joinLines(
      ...entries.map(compactEntry),
      entries.length === 0 && "no state",
      next_cursor !== null && `more: after ${JSON.stringify(next_cursor)}`,
    ),
});

const watchInput = {
  ...inSession,
  key: StateKey.optional(),
  prefix: StateKey.optional(),
  scope: StateScope.default("session").meta({
    description: "mesh: shared by all sessions; changes are sent only over the WebSocket.",
  }),
  ...asTeam,
  ...retryable,
};

function namesOne(input: { key?: string | undefined; prefix?: string | undefined }): boolean {
  return (input.key === undefined) !== (input.prefix === undefined);
}
const nameOne = { error: "name a key or a prefix, and not both" };

const Watching = z.object({
  watching: z.array(
    z.object({ key: z.string().optional(), prefix: z.string().optional(), scope: StateScope }),
  ),
});

export const watchState = operation("watch_state", {
  summary:
    "Receive changes of a key, or of all keys with a prefix, as messages. To read a key once, use get_state.",
  // Left out over stdio. Changes to mesh-wide keys are not posted in feeds (STATE-11), so only programs that
  // read frames receive them.
  unlistedOverStdio: ["scope"],
  input: z.strictObject(watchInput).refine(namesOne, nameOne),
  output: Watching,
  errors: ["unauthorized", "session_closed", "not_found", "conflict"],
  compact: compactWatching,
});

export const unwatchState = operation("unwatch_state", {
  summary: "Stop receiving changes of a key or prefix.",
  unlistedOverStdio: true,
  input: z.strictObject(watchInput).refine(namesOne, nameOne),
  output: Watching,
  errors: ["unauthorized", "not_found"],
  compact: compactWatching,
});

function compactWatching({ watching }: z.output<typeof Watching>): string {
  const each = watching.map(({ key, prefix }) => formatInlineName(key ?? `${prefix}*`));
  return each.length === 0 ? "watching nothing" : `watching ${each.join(", ")}`;
}

function compactEntry({ key, value, deleted, redacted, version, updatedBy, updatedAt }: StateEntry): string {
  const told = redacted ? "(removed)" : deleted ? "(deleted)" : toNeutralJson(value ?? null);
  return `- ${formatInlineName(key)} = ${told} (v${version}, ${formatInlineName(updatedBy)} ${formatMessageTime(updatedAt)})`;
}
