import {
  type DataSubject,
  erasedName,
  erasePersonRows,
  listArchivedOf,
  listPersonTexts,
  lockAdmins,
  type PersonText,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { writeOnce } from "../../core/write.js";
import { endMember, lastAdmin } from "../../identity/members.js";
import { redactOne } from "../../record/redaction/redact-message.js";
import { redactVersions } from "../../record/redaction/redact-versions.js";
import type { Remover } from "../../record/redaction/remover.js";
import type { PersonContext, SessionContext } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";
import { findNamedPerson } from "./named-person.js";

/** Each is a write with its event, so a call that takes thousands would take minutes. */
const textsAtOnce = 200;

type Output = OutputOf<"erase_person">;

/**
 * Removes a person (PERSON-14): first the texts, some a call, each as `redact_message` does, so that every proof holds; then all
 * else, in one transaction.
 *
 * @throws conflict for the last admin of a mesh
 */
export async function erasePerson(
  ctx: PersonContext<ViewServices>,
  { person: wanted, confirm }: ParsedInputOf<"erase_person">,
): Promise<Output> {
  const person = await findNamedPerson(ctx, { operation: "erase_person", wanted });
  if (![person.personId, person.name.toLowerCase()].includes(confirm.toLowerCase()))
    throw notConfirmed(person);
  await refuseLastAdmin(ctx, person);
  await refuseArchived(ctx, person);
  const texts = await listPersonTexts(ctx.services.database.orm, person, textsAtOnce);
  const removable = texts.filter((text) => !text.imported && !text.newest);
  // An event that named the person again would undo the half of it.
  const isOwn = person.personId === ctx.person.personId;
  const remover: Remover = { name: isOwn ? erasedName : ctx.person.name, peerId: null, onlyOf: null };
  for (const text of removable) await redactText(ctx, remover, text);
  if (removable.length === textsAtOnce) {
    return { person_id: person.personId, redacted: removable.length, done: false, kept: [] };
  }
  await eraseRest(ctx, person);
  return {
    person_id: person.personId,
    redacted: removable.length,
    done: true,
    kept: texts.flatMap((text) => toKept(text) ?? []),
  };
}

function notConfirmed({ name }: DataSubject): MerkleError {
  return new MerkleError(
    "conflict",
    `This permanently erases ${JSON.stringify(name)}, but the confirmation names someone else, so nothing was done. Confirm with that name or the person's id.`,
    { field: "confirm" },
  );
}

async function redactText(
  ctx: PersonContext<ViewServices>,
  remover: Remover,
  text: PersonText,
): Promise<void> {
  const { database, turns, channels, sessions } = ctx.services;
  const session = await sessions.find(text.sessionId);
  if (!session) return;
  // Each is a write of its own, which the request's key does not stand for.
  const onAnnounced: Parameters<typeof writeOnce>[0]["onAnnounced"] = (message) =>
    channels.deliver(message.session_id, [message]);
  const request = { operation: "erase_person", caller: null, idempotencyKey: undefined, input: {} };
  const inSession: SessionContext<ViewServices> = {
    ...ctx,
    session,
    write: (work) => writeOnce({ database, turns, onAnnounced }, request, work),
  };
  if (text.sequence !== null) await redactOne(inSession, remover, { sequence: text.sequence, reason: null });
  else if (text.version !== null) {
    const range = { from: text.version, to: text.version };
    await redactVersions(inSession, remover, { range, reason: null });
  }
}

function toKept({ slug, imported, newest, version, sequence }: PersonText): Output["kept"] | undefined {
  const what = sequence === null ? `version ${version} of the document` : `message ${sequence}`;
  if (imported)
    return [
      {
        session: slug,
        what: `${what}: part of another broker's record; remove it there and import the session again`,
      },
    ];
  if (newest)
    return [{ session: slug, what: `${what}: the current text of the document; save a new version first` }];
  return undefined;
}

/** So many are named; the others are, when these are back. */
const archivedNamedMax = 20;

/** What is in the archive is reached by no removal: that some of it was left must not look like the end (ARCHIVE-8). */
async function refuseArchived({ services }: PersonContext<ViewServices>, person: DataSubject): Promise<void> {
  const slugs = await listArchivedOf(services.database.orm, person, archivedNamedMax);
  if (slugs.length === 0) return;
  throw new MerkleError(
    "conflict",
    `${JSON.stringify(person.name)} took part in sessions that are archived, so nothing was erased: ${slugs.join(", ")}. Restore them first (merkle unarchive), then erase the person and archive them again.`,
    { archived: slugs },
  );
}

async function refuseLastAdmin(
  { services }: PersonContext<ViewServices>,
  person: DataSubject,
): Promise<void> {
  const { memberId, meshId } = person;
  if (memberId === null) return;
  await services.database.transaction(async (tx) => {
    const admins = await lockAdmins(tx, meshId);
    if (admins.size === 1 && admins.has(memberId)) throw lastAdmin(person);
  });
}

async function eraseRest(ctx: PersonContext<ViewServices>, person: DataSubject): Promise<void> {
  const { credentials, mesh } = ctx.services;
  const { memberId, personId } = person;
  await ctx.write(async ({ tx, afterCommit }) => {
    if (memberId !== null) await endMember(ctx.services, { tx, afterCommit }, { memberId, by: erasedName });
    await erasePersonRows(tx, person);
    afterCommit(() => {
      credentials.forgetEverywhere(personId);
      mesh.announceToPerson(personId, null);
    });
    return {};
  });
}
