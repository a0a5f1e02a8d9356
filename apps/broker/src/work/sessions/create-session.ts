import { randomUUID } from "node:crypto";
import {
  findSession,
  insertMemory,
  insertPeer,
  insertSession,
  insertTeam,
  listSeals,
  type NewTeam,
  readDocument,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf, sealText } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { inputRefused } from "@merkle/wire/schemas";
import { utf8Bytes } from "@merkle/wire/text";
import { makeCredential } from "../../identity/credential.js";
import { ownerOf } from "../../identity/principal.js";
import { requireSession } from "../../identity/session-directory.js";
import { toMemoryId } from "../../memory/memory-output.js";
import { toSeal } from "../../record/sign-head.js";
import type { Context } from "../../sessions/context.js";
import { refuseSecondSession } from "../../sessions/roster/refuse-second-session.js";
import { toSessionSettings } from "../../sessions/session-settings.js";
import { takeSlug } from "../../sessions/slug.js";
import type { TopicServices } from "../topics/services.js";

/** Makes a session with its convener in it, a person perhaps. It posts no event: the feed begins empty (SES-1). */
export async function createSession(
  ctx: Context<TopicServices>,
  input: ParsedInputOf<"create_session">,
): Promise<OutputOf<"create_session">> {
  const { database, mesh, quotas } = ctx.services;
  const { meshId } = database;
  const predecessor =
    input.from_session === undefined ? null : await readPredecessor(ctx.services, input.from_session);
  const { title } = input;
  const description = predecessor ? withNote(input.description, predecessor.note) : input.description;
  return ctx.write(async (write) => {
    const { tx, afterCommit } = write;
    await refuseSecondSession(ctx, write, null);
    await quotas.requireRoom(meshId, ["sessions"]);
    const sessionId = randomUUID();
    const teamId = randomUUID();
    const at = new Date();
    const { name, provedBy, credential } = nameConvener(ctx, input, teamId);
    const settings = toSessionSettings(input.settings);
    const slug = await takeSlug(tx, { meshId, sessionId, title, wanted: input.slug });
    await insertSession(tx, {
      sessionId,
      meshId,
      slug,
      title,
      description,
      createdByTeamId: teamId,
      settings,
      messageBudget: settings.message_budget,
      at,
    });
    const memberId = ownerOf(ctx.principal);
    await insertTeam(tx, { sessionId, teamId, name, provedBy, memberId, joinedAt: at });
    await insertPeer(tx, { sessionId, teamId, peerId: randomUUID(), cursor: 0, documentVersion: 0 });
    afterCommit(() => {
      quotas.add(meshId, "sessions", 1);
      mesh.announce("sessions", sessionId);
    });
    await ctx.givenOut(tx, sessionId, credential);
    const made = { session_id: sessionId, slug, team_id: credential, cursor: 0, title, description };
    if (!predecessor) return made;
    const memory = {
      meshId,
      sessionId,
      content: predecessor.memory,
      tags: ["conclusion"],
      rememberedBy: name,
    };
    const number = await insertMemory(tx, { ...memory, rememberedAt: at });
    afterCommit(() => mesh.announce("memory", null));
    return { ...made, memory_id: toMemoryId(number) };
  });
}

function nameConvener(
  { person }: Context<TopicServices>,
  { creator_team_name: name }: ParsedInputOf<"create_session">,
  teamId: string,
): Pick<NewTeam, "name" | "provedBy"> & { credential: string } {
  if (person) {
    const { personId, name, credential, verified } = person;
    return { name, provedBy: { personId, verified }, credential };
  }
  if (name === undefined) throw nameMissing();
  const { credential, secretHash } = makeCredential(teamId);
  return { name, provedBy: { secretHash }, credential };
}

function nameMissing(): MerkleError {
  const problem = "is missing; expected your team's name, or a person's credential instead";
  return inputRefused([{ field: "creator_team_name", problem }]);
}

/** A concluded session that another one goes on from. */
interface Predecessor {
  /** The first memory of the new session: the conclusion, and how it can be checked. */
  readonly memory: string;
  /** The part of the new session's description that tells of this one. */
  readonly note: string;
}

/**
 * Reads what a concluded session came to, for the session that goes on from it (SES-30).
 *
 * @throws not_found; conflict for a session that is not concluded
 */
async function readPredecessor(services: TopicServices, ref: string): Promise<Predecessor> {
  const { orm, meshId } = services.database;
  const { sessionId, slug } = await requireSession(services, ref);
  const [session, document, [sealed]] = await Promise.all([
    findSession(orm, meshId, sessionId),
    readDocument(orm, sessionId),
    listSeals(orm, sessionId, 1),
  ]);
  if (!session || document?.conclusion == null) throw notConcluded(slug);
  const name = `"${session.title}" (${slug})`;
  const seal = sealed && toSeal(sealed);
  const foot = [
    seal && `Sealed ${seal.at}: ${seal.size} messages, root ${seal.root}. Check it: merkle verify ${slug}`,
    `Full session: ${services.addresses.base()}/sessions/${slug}`,
  ];
  return {
    memory: toMemory(`Conclusion of ${name}:`, document.conclusion.trim(), foot.filter(Boolean).join("\n")),
    note: `Continues ${name}${seal ? `, ${sealText(seal)}` : ""}. Its conclusion is the first memory here.`,
  };
}

/** A conclusion may be as long as a document, and a memory may not. */
function toMemory(head: string, conclusion: string, foot: string): string {
  const frame = `${head}\n\n\n\n${foot}`;
  const room = limits.memoryBytesMax - utf8Bytes(frame);
  if (utf8Bytes(conclusion) <= room) return `${head}\n\n${conclusion}\n\n${foot}`;
  const cut = "\n\n(cut here: it is longer than a memory can be)";
  return `${head}\n\n${toBytes(conclusion, room - utf8Bytes(cut))}${cut}\n\n${foot}`;
}

/** The beginning of a text in so many bytes; a character that does not fit in whole is left out. */
function toBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes), { stream: true });
}

/** Adds to the end of a description the note of where the session comes from. */
function withNote(description: string, note: string): string {
  const text = description === "" ? note : `${description}\n\n${note}`;
  if (text.length <= limits.descriptionCharsMax) return text;
  const max = limits.descriptionCharsMax - note.length - 2;
  const problem = `must have at most ${max} characters here, because a note about the earlier session is added; got ${description.length}`;
  throw inputRefused([{ field: "description", problem }]);
}

function notConcluded(slug: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The session "${slug}" is not concluded, so there is no conclusion to continue from. Join it, or conclude it first.`,
    { session: slug, next: "join_session" },
  );
}
