import * as shape from "../core/shape.js";
import type { Message } from "./message.js";
import { kindOf } from "./message-kind.js";

/**
 * The fields of a message as it is stored, each once: its name in the table, its type there, and what a value of it is in JSON.
 * The database's rows and lists of columns, the record's entries and the bundles' lines follow from this. One more field of a
 * message is one more here, beside its migration and the two functions that append.
 */

interface Field<Value> {
  /** Its type in PostgreSQL. What is `bytea` there is hexadecimal in JSON. */
  readonly type: string;
  readonly shape: shape.Shape<Value>;
}

function field<Value>(type: string, of: shape.Shape<Value>): Field<Value> {
  return { type, shape: of };
}

/** Fields that a message is shown with under their own names, and that its entry in the record has. */
const shownFields = {
  session_id: field("uuid", shape.uuid),
  sequence: field("bigint", shape.count),
  id: field("uuid", shape.uuid),
  type: field("text", shape.oneOf("chat", "system")),
  posted_by_team_id: field("uuid", shape.nullable(shape.uuid)),
  priority: field("text", shape.oneOf("now", "next", "low")),
  posted_at: field("timestamptz", shape.instant),
};

/** The same, but left out where they are null. A field that comes later belongs here: entries of before must stay as they were. */
const optionalFields = {
  reply_to: field("bigint", shape.nullable(shape.count)),
};

/** Fields that are shown, and recorded, as `from` and `to`. */
const addressFields = {
  author_team: field("text", shape.nullable(shape.text)),
  author_peer: field("text", shape.nullable(shape.text)),
  author_human: field("boolean", shape.yesOrNo),
  recipients: field("text[]", shape.list(shape.text)),
};

/** `ask`, `decision`, or the event's name, which the content says too; null for plain chat. */
const kindFields = { kind: field("text", shape.nullable(shape.text)) };

/** The text, which can be removed, and what proves it: the salt while it is there, the hash afterwards. */
const contentFields = {
  /** Canonical JSON. */
  content: field("text", shape.text),
  salt: field("bytea", shape.nullable(shape.salt)),
  content_hash: field("bytea", shape.nullable(shape.hash)),
};

/** Fields that the broker alone knows. */
const ownFields = {
  posted_by_peer_id: field("uuid", shape.nullable(shape.uuid)),
  /** The peers that it is for, as `recipients` was resolved; null for everyone. */
  reaches: field("uuid[]", shape.nullable(shape.list(shape.uuid))),
  /** The ask that it settles, which is then also what it replies to. */
  answers: field("bigint", shape.nullable(shape.count)),
};

const recordedFields = { ...shownFields, ...optionalFields, ...addressFields, ...kindFields };

export const messageFields = { ...recordedFields, ...contentFields, ...ownFields };

type Values<Fields extends Record<string, Field<unknown>>> = {
  readonly [Name in keyof Fields]: ReturnType<Fields[Name]["shape"]>;
};

/** A message as a row has it. */
export type MessageFields = Values<typeof messageFields>;
export type MessageFieldName = keyof MessageFields;
export type RecordedFields = Values<typeof recordedFields>;

export const messageFieldNames = namesOf(messageFields);
/** The fields that an entry is made from, besides the hash of its content and the length of a private one. */
export const recordedFieldNames = namesOf(recordedFields);
const shownNames = namesOf(shownFields);
const optionalNames = namesOf(optionalFields);

type OptionalName = keyof typeof optionalFields;

/** The optional fields of a message that has none of them. */
export const noOptionalFields = Object.fromEntries(optionalNames.map((name) => [name, null])) as {
  // Every name has been given null.
  readonly [Name in OptionalName]: null;
};

function namesOf<Fields extends object>(fields: Fields): readonly (keyof Fields & string)[] {
  // An object literal that nobody adds to has the keys that its type says.
  return Object.keys(fields) as (keyof Fields & string)[];
}

type ShownName = keyof typeof shownFields | OptionalName | "from" | "to";

/** All of a message that its row tells besides its content. */
export type MessageHead = Pick<Message, ShownName>;

/** The same of a message. */
export function headOf(message: Message): MessageHead {
  const head: Record<string, unknown> = { from: message.from, to: message.to };
  for (const name of shownNames) head[name] = message[name];
  for (const name of optionalNames) if (message[name] !== undefined) head[name] = message[name];
  // Each of the names above has been given what its field says, as below.
  return head as MessageHead;
}

/** A row as it is shown. */
export function toMessageHead(row: Omit<RecordedFields, "kind">): MessageHead {
  const { author_team: team, author_peer: peer, author_human: human, recipients } = row;
  const head: Record<string, unknown> = {};
  for (const name of shownNames) head[name] = row[name];
  head["from"] = team === null ? null : { team, ...(peer === null ? {} : { peer }), human };
  head["to"] = [...recipients];
  for (const name of optionalNames) if (row[name] !== null) head[name] = row[name];
  return head as MessageHead;
}

/** Returns the recorded fields of a message, as a row has them. */
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
 * A message as a line of a bundle holds it; whatever else stands there is left out, since no hash would vouch for it.
 *
 * @throws ShapeError
 */
export function readMessage(given: Readonly<Record<string, unknown>>, place: string): Message {
  const message: Record<string, unknown> = shape.readFields(lineShapes, given, place);
  for (const name of optionalNames) if (message[name] === undefined) delete message[name];
  // An event's fields stand at the top level too.
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

/** In a line a field that is null is left out, and null is no value. */
function optionalNotNull(each: shape.Shape<unknown>): shape.Shape<unknown> {
  return shape.optional((value, place) => {
    if (value === null) throw new shape.ShapeError(`${place} must have a value or be left out, got null.`);
    return each(value, place);
  });
}
