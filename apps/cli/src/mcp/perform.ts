import { catalogue, type InputOf, type Operation, type OperationName, type OutputOf } from "@merkle/wire";
import { isUuid, MerkleError } from "@merkle/wire/plain";
import { asStub } from "../private-messages/open-message.js";
import type { Sealing } from "../private-messages/private-messages.js";
import type { BrokerLink } from "./broker-link.js";
import { noteDeclared } from "./hooks/status-reporter.js";
import type { Caller } from "./hooks/turn.js";
import type { Acknowledger } from "./mail/acknowledger.js";
import { resyncNotice } from "./mail/inbox.js";
import { readAlong } from "./mail/read-along.js";
import { type Waited, waitForMessages } from "./mail/wait.js";
import type { Fields, Membership } from "./membership.js";
import type { McpOptions } from "./options.js";
import type { PeerSession } from "./peer-sessions.js";
import type { SecretStore } from "./secret-store.js";
import { takesLastSession } from "./tool-list.js";

interface Performance {
  readonly operation: Operation;
  readonly input: Fields;
  readonly team: PeerSession | undefined;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

interface Performed {
  readonly output: unknown;
  /** A line of ours that the model must see before all else. */
  readonly notice?: string | undefined;
  /** To be told whether the answer arrived. */
  readonly settle?: (arrived: boolean) => void;
}

type Performer = (performance: Performance) => Promise<Performed>;

interface PerformerOptions {
  readonly link: BrokerLink;
  readonly membership: Membership;
  readonly secretStore: SecretStore;
  readonly sealing: Sealing;
  readonly acknowledger: Acknowledger;
  readonly view: McpOptions["view"];
}

/** Does what a tool is for: mostly by asking the broker; for what this server keeps, with something of its own. */
export function createPerformer(options: PerformerOptions): Performer {
  const { link, membership, secretStore, sealing, acknowledger, view } = options;

  async function ask({ operation, input, signal }: Performance): Promise<unknown> {
    // The broker knows what an input of its operation is, and refuses what is none.
    const output = await link.call(operation.name as OperationName, input as InputOf<OperationName>, {
      signal,
    });
    secretStore.keepFrom(output);
    return output;
  }

  async function run(performance: Performance): Promise<Performed> {
    const { operation, input, team, signal } = performance;
    switch (operation.name) {
      case "create_session":
        return { output: await membership.createSession(input, signal) };
      case "join_session":
        return { output: await membership.joinSession(input, signal) };
      case "leave_session":
        if (team) return { output: await membership.leaveSession(input, team, signal) };
        break;
      case "rotate_team_credential":
        if (team) return { output: await membership.rotateCredential(input, team, signal) };
        break;
      case "wait_for_messages":
        return wait(performance);
      case "check_messages":
        return check(performance);
      case "get_history":
        return { output: await readHistory(performance) };
      case "send_message":
        if (input["private"] === true && team) return { output: await sealing.send(input, team, signal) };
        break;
    }
    const output = await ask(performance);
    if (team) takeNotice(operation, output, team);
    return { output };
  }

  async function readHistory(performance: Performance): Promise<OutputOf<"get_history">> {
    // The broker's answer to an operation is that operation's output.
    const page = (await ask(performance)) as OutputOf<"get_history">;
    return { ...page, messages: page.messages.map(performance.team?.open ?? asStub) };
  }

  async function wait(performance: Performance): Promise<Performed> {
    const { operation, input, team } = performance;
    refuseCursor(operation.name, input);
    const parsed = catalogue.wait_for_messages.input.safeParse(input);
    // What the broker would refuse, it refuses in its own words; and who is no team here has no place here.
    if (!team || !parsed.success) return { output: await ask(performance) };
    const { timeout, include_own: includeOwn } = parsed.data;
    return read(performance, team, { timeoutMs: Math.min(timeout, 30) * 1000, includeOwn });
  }

  /** Reads as a wait does that does not block: the place that this server keeps is the same for both. */
  async function check(performance: Performance): Promise<Performed> {
    const { operation, input, team } = performance;
    refuseCursor(operation.name, input);
    if (!team || !catalogue.check_messages.input.safeParse(input).success)
      return { output: await ask(performance) };
    return read(performance, team, { timeoutMs: 0, includeOwn: false });
  }

  async function read(
    { caller, signal }: Performance,
    team: PeerSession,
    how: { timeoutMs: number; includeOwn: boolean },
  ): Promise<Performed> {
    const request = { team, ...how, view, signal };
    const waited =
      caller.is === "subagent"
        ? await readAlong(caller.agent, request)
        : await waitForMessages(link, { ...request, acknowledger });
    return toPerformed(team, waited);
  }

  return async (performance) => {
    try {
      return await run(performance);
    } catch (error) {
      throw explain(error, performance);
    }
  };
}

function toPerformed(team: PeerSession, { output, again, settle }: Waited): Performed {
  const wasResynced = team.resynced;
  const seen = [...(again ?? [])].map((sequence) => `#${sequence}`);
  const { warning } = team;
  const notices = [
    ...(wasResynced ? [resyncNotice] : []),
    ...(warning === undefined ? [] : [warning]),
    ...(seen.length > 0 ? [`(again) you may have seen already: ${seen.join(" ")}`] : []),
  ];
  return {
    output,
    notice: notices.length > 0 ? notices.join("\n") : undefined,
    settle: (arrived) => {
      if (arrived && wasResynced) team.resynced = false;
      if (arrived && team.warning === warning) team.warning = undefined;
      settle(arrived);
    },
  };
}

/** What the model did itself is no news to it; what it acknowledged is not handed to it. */
function takeNotice({ name }: Operation, output: unknown, team: PeerSession): void {
  // The broker's answer to an operation is that operation's output.
  if (name === "set_status") noteDeclared(team, output as OutputOf<"set_status">);
  const { cursor, version, doc_version: concluded } = Object(output);
  if (name === "ack" && typeof cursor === "number") team.mail.passUpTo(cursor);
  if (name === "conclude_session") team.closed = true;
  const written = name === "conclude_session" ? concluded : version;
  if (writers.has(name) && typeof written === "number")
    team.document.told = Math.max(team.document.told, written);
}

const writers: ReadonlySet<string> = new Set([
  "update_session_doc",
  "append_to_session_doc",
  "edit_session_doc",
  "conclude_session",
]);

function refuseCursor(operation: string, input: Fields): void {
  const field = ["since_cursor", "epoch"].find((name) => input[name] !== undefined);
  if (field === undefined) return;
  throw new MerkleError(
    "bad_request",
    `${operation} takes no ${field} here: this server keeps your place. Leave it out.`,
    { fields: [{ field, problem: "is kept by this server" }] },
  );
}

/** The broker speaks of credentials, which a model here never holds. */
function explain(error: unknown, { operation, input, team }: Performance): unknown {
  if (!(error instanceof MerkleError) || error.code !== "unauthorized") return error;
  const { team_id: given, session_id: session } = input;
  if (given === undefined)
    return new MerkleError(
      "unauthorized",
      session === undefined || !takesLastSession(operation)
        ? "You have joined no session yet: call join_session first."
        : `You are no team of the session "${session}" yet: call join_session first.`,
    );
  if (team)
    return new MerkleError(
      "unauthorized",
      `${team.address} is not let in any more: its credential was replaced elsewhere, or it has left. Call join_session to take part again.`,
    );
  if (typeof given === "string" && isUuid(given))
    return new MerkleError(
      "unauthorized",
      `This server is not the team ${given}. Leave team_id out, or call join_session.`,
    );
  return error;
}
