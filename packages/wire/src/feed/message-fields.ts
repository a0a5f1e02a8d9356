import * as shape from "../core/shape.js";
import type { Message } from "./message.js";
import { findMessageKind } from "./message-kind.js";

/**
 * The fields of a stored message, with their column names, PostgreSQL types and JSON forms. The database's
 * rows and column lists, the record's entries and the lines in bundles are all derived from this list. A new
 * field needs an entry here, a migration, and changes to both append functions.
 */

interface Field<Value> {
  /** The field's type in PostgreSQL. In JSON, `bytea` is written as hexadecimal. */
  readonly type: string;
  readonly shape: shape.Shape<Value>;
}

function field<Value>(type: string, of: shape.Shape<Value>): Field<Value> {
  return { type, shape: of };
}

/** Fields that readers see under the same names and that the record's entry contains. */
const shownFields = {
  session_id: field("uuid", shape.uuid),
  sequence: field("bigint", shape.count),
  id: field("uuid", shape.uuid),
  type: field("text", shape.oneOf("chat", "system")),
  posted_by_team_id: field("uuid", shape.nullable(shape.uuid)),
  priority: field("text", shape.oneOf("now", "next", "low")),
  posted_at: field("timestamptz", shape.instant),
};

/**
 * Fields that readers see and that the record's entry contains, but that are omitted if null. New fields
 * belong here, because existing entries must not change.
 */
const optionalFields = {
  reply_to: field("bigint", shape.nullable(shape.count)),
};

/** Fields that appear as `from` and `to`, both to readers and in the record's entry. */
const addressFields = {
  author_team: field("text", shape.nullable(shape.text)),
  author_peer: field("text", shape.nullable(shape.text)),
  author_human: field("boolean", shape.trueOrFalse),
  recipients: field("text[]", shape.list(shape.text)),
};

/**
 * The kind of message, as in the content: `ask`, `decision` or the name of the event. Null for a plain chat
 * message.
 */
const kindFields = { kind: field("text", shape.nullable(shape.text)) };

/**
 * The text and the data that prove it. The text can be removed. While it exists, the salt is stored, and
 * afterwards only the hash.
 */
const contentFields = {
  /** The content as canonical JSON. */
  content: field("text", shape.text),
  salt: field("bytea", shape.nullable(shape.salt)),
  content_hash: field("bytea", shape.nullable(shape.hash)),
};

/** Fields that only the broker uses. Readers do not see them, and the record does not contain them. */
const ownFields = {
  posted_by_peer_id: field("uuid", shape.nullable(shape.uuid)),
  /** Ids of the peers that `recipients` refers to. Null if the message is for everyone. */
  reaches: field("uuid[]", shape.nullable(shape.list(shape.uuid))),
  /** Sequence of the ask that the message answers. `reply_to` is then the same sequence. */
  answers: field("bigint", shape.nullable(shape.count)),
};

const recordedFields = { ...shownFields, ...optionalFields, ...addressFields, ...kindFields };

export const messageFields = { ...recordedFields, ...contentFields, ...ownFields };

type Values<Fields extends Record<string, Field<unknown>>> = {
  readonly [Name in keyof Fields]: ReturnType<Fields[Name]["shape"]>;
};

/** A message's fields in the form of a database row. */
export type MessageFields = Values<typeof messageFields>;
export type MessageFieldName = keyof MessageFields;
export type RecordedFields = Values<typeof recordedFields>;

export const messageFieldNames = listFieldNames(messageFields);
/**
 * Names of the fields that a record's entry contains. The entry also contains the hash of the content, and
 * the length of a private message.
 */
export const recordedFieldNames = listFieldNames(recordedFields);
const shownNames = listFieldNames(shownFields);
const optionalNames = listFieldNames(optionalFields);

type OptionalName = keyof typeof optionalFields;

/** The optional fields of a message, all of them null. */
export const noOptionalFields = Object.fromEntries(optionalNames.map((name) => [name, null])) as {
  // Every optional field is null.
  readonly [Name in OptionalName]: null;
};

function listFieldNames<Fields extends object>(fields: Fields): readonly (keyof Fields & string)[] {
  // The argument is a literal that no one extends, so it has exactly the keys of its type.
  return Object.keys(fields) as (keyof Fields & string)[];
}

type ShownName = keyof typeof shownFields | OptionalName | "from" | "to";

/** The fields of a message that come from its row, except the content. */
export type MessageHead = Pick<Message, ShownName>;

/** Returns a message's fields without its content. */
export function pickMessageHead(message: Message): MessageHead {
  const head: Record<string, unknown> = { from: message.from, to: message.to };
  for (const name of shownNames) head[name] = message[name];
  for (const name of optionalNames) if (message[name] !== undefined) head[name] = message[name];
  // The loops above have set every field according to its definition, so the cast is safe. The same applies
  // to the functions below.
  return head as MessageHead;
}

/** Converts a database row to the fields of a message that readers see. */
export function toMessageHead(row: Omit<RecordedFields, "kind">): MessageHead {
  const { author_team: team, author_peer: peer, author_human: human, recipients } = row;
  const head: Record<string, unknown> = {};
  for (const name of shownNames) head[name] = row[name];
  head["from"] = team === null ? null : { team, ...(peer === null ? {} : { peer }), human };
  head["to"] = [...recipients];
  for (const name of optionalNames) if (row[name] !== null) head[name] = row[name];
  return head as MessageHead;
}

/** Converts a message to the recorded fields of a database row. */
export function toRecordedFields(message: Message): RecordedFields {
  const { from, to } = message;
  const row: Record<string, unknown> = {
    author_team: from?.team ?? null,
    author_peer: from?.peer ?? null,
    author_human: from?.human ?? false,
    recipients: to,
    kind: findMessageKind(message),
  };
  for (const name of shownNames) row[name] = message[name];
  for (const name of optionalNames) row[name] = message[name] ?? null;
  return row as RecordedFields;
}

/**
 * Parses a message from a line in a bundle. Unknown fields are dropped, because no hash covers them.
 *
 * @throws ShapeError if a field is missing or has the wrong form
 */
export function readMessage(given: Readonly<Record<string, unknown>>, place: string): Message {
  const message: Record<string, unknown> = shape.readFields(lineShapes, given, place);
  for (const name of optionalNames) if (message[name] === undefined) delete message[name];
  // The fields of an event also appear at the top level of the message.
  const content = message["type"] === "system" ? message["content"] : {};
  return Object.assign(message, content) as Message;
}

const author: shape.Shape<Message["from"]> = (value, place) => {
  if (value === null) return null;
  const { peer, ...from } = shape.object({
    team: shape.text,
    peer: shape.optional(shape.text),
    human: shape.trueOrFalse,
  })(value, place);
  return { ...from, ...(peer === undefined ? {} : { peer }) };
};

const lineShapes = {
  ...toShapes(shownFields, (each) => each),
  ...toShapes(optionalFields, optionalNotNull),
  from: author,
  to: shape.list(shape.text),
  content: shape.anyObject,
};

function toShapes(
  fields: Readonly<Record<string, Field<unknown>>>,
  as: (each: shape.Shape<unknown>) => shape.Shape<unknown>,
): Record<string, shape.Shape<unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, as(each.shape)]));
}

/** Creates the shape of a field that must be omitted instead of being null. */
function optionalNotNull(each: shape.Shape<unknown>): shape.Shape<unknown> {
  return shape.optional((value, place) => {
    if (value === null) throw new shape.ShapeError(`${place} must have a value or be left out, got null.`);
    return each(value, place);
  });
}
