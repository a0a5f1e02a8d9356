import { createHash } from "node:crypto";
import { isUuid, type Session } from "@merkle/wire";
import { slugFrom } from "@merkle/wire/slug";
import { neutralise } from "@merkle/wire/text";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Prompter } from "../command/ask.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { findNearSession, findSession } from "../sessions/find-session.js";
import type { NamedSession } from "./usual-launch.js";

/** The session to launch into: one that is there, or one that is to be made; without a slug it gets one that is free. */
export type ChosenSession =
  | { readonly kind: "there"; readonly session: Session }
  | { readonly kind: "new"; readonly slug: string | undefined; readonly title: string };

/** Asks on the terminal whether the session that is nearly called so is meant. */
type AskWhetherMeant = (name: string, near: Session) => Promise<boolean>;

/**
 * The session of this slug, id or exact title; or a new one of that name, unless one is nearly called so, which is asked
 * about (LAUNCH-2). One that is to be new is, whatever else is called so.
 *
 * @param ask - null where nobody can be asked
 * @throws CliError `not_found` that names the near one; `session_closed`; `conflict` when several have this title
 */
export async function chooseSession(
  broker: Pick<BrokerClient, "call">,
  named: NamedSession,
  ask: AskWhetherMeant | null,
): Promise<ChosenSession> {
  if (named.kind === "new") return { kind: "new", slug: undefined, title: named.title };
  const { name } = named;
  const found = await findSession(broker, name);
  if (found) return there(found);
  if (isUuid(name)) throw notFound(name, undefined);
  const slug = toSlug(name);
  // Another session may have the slug that this name would get: it is the nearest there can be.
  const holder = slug === name ? null : await findSession(broker, slug);
  // Nobody has typed the folder's name, so it is no slip of the pen.
  if (named.from === "folder") return holder ? there(holder) : { kind: "new", slug, title: name };
  const near = holder ?? (await findSimilar(broker, name));
  if (!near) return { kind: "new", slug, title: name };
  // It is this very session, which another machine has made since the first look.
  if (near.title === name || near.slug === name) return there(near);
  if (!ask) throw notFound(name, near);
  if (await ask(name, near)) return there(near);
  return { kind: "new", slug, title: name };
}

function there(session: Session): ChosenSession {
  if (session.status === "active") return { kind: "there", session };
  throw new CliError(
    "session_closed",
    `${JSON.stringify(neutralise(session.title))} is concluded: you can read it, but not join it.`,
    { exitCode: exitCodes.session_closed, next: [`merkle doc show ${session.slug}`, "merkle ls"] },
  );
}

/** Among the open ones: that somebody means a concluded session is less likely than that they go on after it. */
async function findSimilar(broker: Pick<BrokerClient, "call">, name: string): Promise<Session | null> {
  const near = await findNearSession(broker, name);
  if (near?.status !== "active") return null;
  return differInNumberAlone(name, near.slug) || differInNumberAlone(name, near.title) ? null : near;
}

/** `sprint-13` beside `sprint-12` is no slip of the pen. */
function differInNumberAlone(a: string, b: string): boolean {
  const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}]/gu, "");
  const digitsOf = (text: string) => text.replace(/\D/g, "");
  return lettersOf(a) === lettersOf(b) && digitsOf(a) !== digitsOf(b);
}

/**
 * The slug of a new session, from its name alone, so that two machines that launch at the same moment ask for the same.
 * A name without any letter that a slug may have gets one from its hash.
 */
function toSlug(name: string): string {
  return slugFrom(name) || `session-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
}

function notFound(name: string, near: Session | undefined): CliError {
  const problem = `There is no session ${JSON.stringify(neutralise(name))}.`;
  if (!near)
    return new CliError("not_found", problem, { exitCode: exitCodes.not_found, next: ["merkle ls"] });
  return new CliError(
    "not_found",
    `${problem} Did you mean ${near.slug}, ${JSON.stringify(neutralise(near.title))}?`,
    {
      exitCode: exitCodes.not_found,
      next: [`merkle launch --session ${near.slug}`, `or create a new session first: merkle new <title>`],
      details: { near: near.slug },
    },
  );
}

export function askWhetherMeant(prompter: Prompter): AskWhetherMeant {
  return (name, near) => {
    const [wanted, slug, title] = [name, near.slug, near.title].map((each) => neutralise(each));
    return prompter.yesOrNo({
      message: `There is no session "${wanted}". Join ${slug}, "${title}", instead of creating a new session?`,
      default: true,
    });
  };
}
