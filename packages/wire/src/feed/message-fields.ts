import * as shape from "../core/shape.js";
import type { Message } from "./message.js";
import { kindOf } from "./message-kind.js";

/**
 * The fields of a stored message: column name, PostgreSQL type and JSON form. The database's rows and column
 * lists, the record's entries and the bundles' lines are all derived from this list. A new field needs an
 * entry here, a migration, and a change of the two append functions.
 */

interface Field<Value> {
  /** Type in PostgreSQL. `bytea` becomes hexadecimal in JSON. */
  readonly type: string;
  readonly shape: shape.Shape<Value>;
}

function field<Value>(type: string, of: shape.Shape<Value>): Field<Value> {
  return { type, shape: of };
}

/** Fields shown under their own names and included in the record's entry. */
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
 * Fields that are also shown and recorded, but omitted if null. Add new fields here, because existing entries
 * must not change.
 */
const optionalFields = {
  reply_to: field("bigint", shape.nullable(shape.count)),
};

/** Fields shown and recorded as `from` and `to`. */
const addressFields = {
  author_team: field("text", shape.nullable(shape.text)),
  author_peer: field("text", shape.nullable(shape.text)),
  author_human: field("boolean", shape.yesOrNo),
  recipients: field("text[]", shape.list(shape.text)),
};

/** `ask`, `decision` or the event's name, as in the content. Null for a plain chat message. */
const kindFields = { kind: field("text", shape.nullable(shape.text)) };

/** The text, which can be removed, and its proof: the salt while the text exists, afterwards the hash. */
const contentFields = {
  /** Canonical JSON. */
  content: field("text", shape.text),
  salt: field("bytea", shape.nullable(shape.salt)),
  content_hash: field("bytea", shape.nullable(shape.hash)),
};

/** Fields that only the broker uses. */
const ownFields = {
  posted_by_peer_id: field("uuid", shape.nullable(shape.uuid)),
  /** The recipient peers, resolved from `recipients`. Null for everyone. */
  reaches: field("uuid[]", shape.nullable(shape.list(shape.uuid))),
  /** The ask that the message settles, which is then also its `reply_to`. */
  answers: field("bigint", shape.nullable(shape.count)),
};

const recordedFields = { ...shownFields, ...optionalFields, ...addressFields, ...kindFields };

export const messageFields = { ...recordedFields, ...contentFields, ...ownFields };

type Values<Fields extends Record<string, Field<unknown>>> = {
  readonly [Name in keyof Fields]: ReturnType<Fields[Name]["shape"]>;
};

/** A message in the form of a database row. */
export type MessageFields = Values<typeof messageFields>;
export type MessageFieldName = keyof MessageFields;
export type RecordedFields = Values<typeof recordedFields>;

export const messageFieldNames = namesOf(messageFields);
/** The fields of an entry, apart from its content's hash and the length of a private message. */
export const recordedFieldNames = namesOf(recordedFields);
const shownNames = namesOf(shownFields);
const optionalNames = namesOf(optionalFields);

type OptionalName = keyof typeof optionalFields;

/** The optional fields, all null. */
export const noOptionalFields = Object.fromEntries(optionalNames.map((name) => [name, null])) as {
  // Each name has the value null.
  readonly [Name in OptionalName]: null;
};

function namesOf<Fields extends object>(fields: Fields): readonly (keyof Fields & string)[] {
  // An object literal that is never extended has exactly the keys of its type.
  return Object.keys(fields) as (keyof Fields & string)[];
}

type ShownName = keyof typeof shownFields | OptionalName | "from" | "to";

/** Everything in a message that comes from its row, except the content. */
export type MessageHead = Pick<Message, ShownName>;

/** Returns the head of a message. */
export function headOf(message: Message): MessageHead {
  const head: Record<string, unknown> = { from: message.from, to: message.to };
  for (const name of shownNames) head[name] = message[name];
  for (const name of optionalNames) if (message[name] !== undefined) head[name] = message[name];
  // The loops above have set every field according to its definition. The functions below do the same.
  return head as MessageHead;
}

/** Converts a row to the form in which a message is shown. */
export function toMessageHead(row: Omit<RecordedFields, "kind">): MessageHead {
  const { author_team: team, author_peer: peer, author_human: human, recipients } = row;
  const head: Record<string, unknown> = {};
  for (const name of shownNames) head[name] = row[name];
  head["from"] = team === null ? null : { team, ...(peer === null ? {} : { peer }), human };
  head["to"] = [...recipients];
  for (const name of optionalNames) if (row[name] !== null) head[name] = row[name];
  return head as MessageHead;
}

/** Returns the recorded fields of a message in the form of a row. */
export function toRecordedFields(message: Message): RecordedFields {
  const { from, to } = message;
  const row: Record<string, unknown> = {
    author_team: from?.team ?? null,
    author_peer: from?.peer ?? null,
    author_human: from?.human ?? false,
    recipients: to,
    kind: kindOf(message),
  };
  for (const name of shownNames) row[name] = message[name];
  for (const name of optionalNames) row[name] = message[name] ?? null;
  return row as RecordedFields;
}

/**
 * Parses a message from a line of a bundle. Other fields are dropped, because no hash covers them.
 *
 * @throws ShapeError
 */
export function readMessage(given: Readonly<Record<string, unknown>>, place: string): Message {
  const message: Record<string, unknown> = shape.readFields(lineShapes, given, place);
  for (const name of optionalNames) if (message[name] === undefined) delete message[name];
  // The fields of an event appear at the top level too.
  const content = message["type"] === "system" ? message["content"] : {};
  return Object.assign(message, content) as Message;
}

const author: shape.Shape<Message["from"]> = (value, place) => {
  if (value === null) return null;
  const { peer, ...from } = shape.object({
    team: shape.text,
    peer: shape.optional(shape.text),
    human: shape.yesOrNo,
  })(value, place);
  return { ...from, ...(peer === undefined ? {} : { peer }) };
};

const lineShapes = {
  ...shapesOf(shownFields, (each) => each),
  ...shapesOf(optionalFields, optionalNotNull),
  from: author,
  to: shape.list(shape.text),
  content: shape.anyObject,
};

function shapesOf(
  fields: Readonly<Record<string, Field<unknown>>>,
  as: (each: shape.Shape<unknown>) => shape.Shape<unknown>,
): Record<string, shape.Shape<unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, as(each.shape)]));
}

/** In a line, a null field is omitted, and an explicit null is invalid. */
function optionalNotNull(each: shape.Shape<unknown>): shape.Shape<unknown> {
  return shape.optional((value, place) => {
    if (value === null) throw new shape.ShapeError(`${place} must have a value or be left out, got null.`);
    return each(value, place);
  });
}
