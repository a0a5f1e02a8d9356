import {
  type DataSubject,
  erasedName,
  erasePersonRows,
  listPersonTexts,
  lockAdmins,
  type PersonText,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { writeOnce } from "../../core/write.js";
import { endMember, lastAdmin } from "../../identity/members.js";
import type { PersonContext, SessionContext } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";
import { getNamedPerson } from "./named-person.js";

/**
 * Maximum number of messages and document versions erased in one call. Each is erased in its own write, with an
 * event, so thousands in one call would take minutes.
 */
const textsAtOnce = 200;

type ErasePersonOutput = OutputOf<"erase_person">;

/**
 * Erases a person (PERSON-14): first the text of the person's messages and document versions, each in its own
 * write and a limited number per call, then everything else in one transaction.
 *
 * @throws conflict if the person is the last admin of a mesh
 */
export async function erasePerson(
  ctx: PersonContext<ViewServices>,
  { person: wanted, confirm }: ParsedInputOf<"erase_person">,
): Promise<ErasePersonOutput> {
  const person = await getNamedPerson(ctx, { operation: "erase_person", wanted });
  if (![person.personId, person.name.toLowerCase()].includes(confirm.toLowerCase()))
    throw notConfirmed(person);
  await refuseLastAdmin(ctx, person);
  for (const { requireErasable } of ctx.services.hooks.personData)
    await requireErasable?.(ctx.services, person);
  const texts = await listPersonTexts(ctx.services.database.orm, person, textsAtOnce);
  const removable = texts.filter((text) => !text.imported && !text.newest);
  // An event that named the erased person again would undo part of the erasure.
  const isOwn = person.personId === ctx.person.personId;
  const eraser = isOwn ? erasedName : ctx.person.name;
  for (const text of removable) await eraseText(ctx, eraser, text);
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

async function eraseText(ctx: PersonContext<ViewServices>, eraser: string, text: PersonText): Promise<void> {
  const { database, turns, channels, sessions, hooks } = ctx.services;
  const session = await sessions.find(text.sessionId);
  if (!session) return;
  // Each message or document version is erased in a separate write, which the request's idempotency key does
  // not cover.
  const onAnnounced: Parameters<typeof writeOnce>[0]["onAnnounced"] = (message) =>
    channels.deliver(message.session_id, [message]);
  const request = { operation: "erase_person", caller: null, idempotencyKey: undefined, input: {} };
  const inSession: SessionContext<ViewServices> = {
    ...ctx,
    session,
    write: (work) => writeOnce({ database, turns, onAnnounced }, request, work),
  };
  for (const hook of hooks.personData) await hook.eraseText?.(inSession, eraser, text);
}

function toKept({
  slug,
  imported,
  newest,
  version,
  sequence,
}: PersonText): ErasePersonOutput["kept"] | undefined {
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
      credentials.invalidateEverywhere(personId);
      mesh.announceToPerson(personId, null);
    });
    return {};
  });
}
