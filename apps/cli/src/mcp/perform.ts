import {
  canOmitSession,
  closeCodes,
  type InputOf,
  MerkleError,
  type OperationName,
  type OutputOf,
} from "@merkle/wire";
import { catalogue, inputRefused } from "@merkle/wire/schemas";
import type { JsonFields } from "../core/is-object.js";
import { toStub } from "../feed/private-stub.js";
import type { BrokerLink } from "./broker-link.js";
import { noteDeclared } from "./hooks/status-reporter.js";
import { formatNotices } from "./inbox.js";
import type { Acknowledger } from "./mail/acknowledger.js";
import { readAsSubagent } from "./mail/read-as-subagent.js";
import { type WaitResult, waitForMessages } from "./mail/wait.js";
import type { Membership } from "./membership.js";
import type { OperationCall, OperationResult, OwnOperation } from "./operation-call.js";
import type { McpOptions } from "./options.js";
import type { PeerSession } from "./peer-sessions.js";
import type { SecretStore } from "./secret-store.js";
import { listShownFields } from "./tool-list.js";

export type PerformOperation = (call: OperationCall) => Promise<OperationResult>;

interface PerformerOptions {
  readonly link: BrokerLink;
  readonly membership: Membership;
  readonly secretStore: SecretStore;
  readonly acknowledger: Acknowledger;
  readonly view: McpOptions["view"];
  /** The operations that features handle partly in this server. */
  readonly operations: Readonly<Record<string, OwnOperation>>;
  /** Called before each operation. */
  readonly onCall: (call: OperationCall) => void;
}

/**
 * Creates the function that performs tool calls. Most calls are passed to the broker. The others involve
 * state that this server keeps.
 */
export function createPerformer(options: PerformerOptions): PerformOperation {
  const { link, membership, secretStore, acknowledger, view } = options;

  async function ask({ operation, input, signal }: OperationCall): Promise<unknown> {
    // The broker validates the input.
    const output = await link.call(operation.name as OperationName, input as InputOf<OperationName>, {
      signal,
    });
    secretStore.addFrom(output);
    // An older broker may return the output in an earlier form.
    return operation.older?.fromOutput(output) ?? output;
  }

  /**
   * The operations that this server partly handles itself. If a handler returns undefined, the call is passed
   * to the broker.
   */
  const ownOperations: Partial<Record<string, OwnOperation>> = {
    async create_session({ input, signal }) {
      const { output, notice } = await membership.createSession(input, signal);
      // A program must get only the operation's output, without a notice.
      return view === "compact" ? { output, notice } : { output };
    },
    async join_session({ input, signal }) {
      return { output: await membership.joinSession(input, signal) };
    },
    async leave_session({ input, team, signal }) {
      return team && { output: await membership.leaveSession(input, team, signal) };
    },
    async rotate_team_credential({ input, team, signal }) {
      return team && { output: await membership.rotateCredential(input, team, signal) };
    },
    async get_history(call) {
      return { output: await readHistory(call) };
    },
    async post_message({ input }) {
      if (input["files"] === undefined) return undefined;
      throw new MerkleError("bad_request", "This build cannot attach files. Nothing was posted.");
    },
    async send_message({ input }) {
      if (input["private"] !== true) return undefined;
      throw new MerkleError("bad_request", "This build cannot send private messages. Nothing was sent.");
    },
    wait_for_messages: wait,
    check_messages: check,
    ...options.operations,
  };

  async function run(call: OperationCall): Promise<OperationResult> {
    const { team } = call;
    options.onCall(call);
    const name = call.operation.name as OperationName; // The names of the catalogue's operations are its keys.
    const result = await ownOperations[name]?.(call, ask);
    if (result) return result;
    const output = await ask(call);
    if (team) notices[name]?.(team, Object(output));
    return { output };
  }

  async function readHistory(call: OperationCall): Promise<OutputOf<"get_history">> {
    // The broker's reply has the type of the operation's output.
    const page = (await ask(call)) as OutputOf<"get_history">;
    return { ...page, messages: page.messages.map(call.team?.open ?? toStub) };
  }

  async function wait(call: OperationCall): Promise<OperationResult> {
    const { operation, input, team } = call;
    refuseCursor(operation.name, input);
    const parsed = catalogue.wait_for_messages.input.safeParse(input);
    // Let the broker report invalid input, and answer a caller without a team, which has no inbox here.
    if (!team || !parsed.success) return { output: await ask(call) };
    const { timeout, include_own: includeOwn } = parsed.data;
    return read(call, team, { timeoutMs: timeout * 1000, includeOwn });
  }

  /** Reads messages like a wait that does not block, and with the same cursor. */
  async function check(call: OperationCall): Promise<OperationResult> {
    const { operation, input, team, everyTeam } = call;
    if (everyTeam) return checkEvery({ ...call, everyTeam: undefined }, everyTeam);
    refuseCursor(operation.name, input);
    if (!team || !catalogue.check_messages.input.safeParse(input).success) return { output: await ask(call) };
    return read(call, team, { timeoutMs: 0, includeOwn: false });
  }

  /**
   * Reads the messages of all joined sessions. Returns one page per session, labelled with the session's
   * slug.
   */
  async function checkEvery(call: OperationCall, teams: readonly PeerSession[]): Promise<OperationResult> {
    const pages = await Promise.all(
      teams.map(async (team) => {
        const { sessionId: session_id, credential: team_id } = team;
        return check({ ...call, team, input: { ...call.input, session_id, team_id } });
      }),
    );
    const [first, ...others] = pages.map(({ output }, index) => ({
      ...Object(output),
      session: teams[index]?.slug,
    }));
    return {
      output: { ...first, others },
      notice: pages.flatMap(({ notice }) => notice ?? []).join("\n") || undefined,
      settle: (arrived) => {
        for (const page of pages) page.settle?.(arrived);
      },
    };
  }

  async function read(
    { caller, signal }: OperationCall,
    team: PeerSession,
    how: { timeoutMs: number; includeOwn: boolean },
  ): Promise<OperationResult> {
    const request = { team, ...how, view, signal };
    const result =
      caller.is === "subagent"
        ? await readAsSubagent(caller.agent, request)
        : await waitForMessages(link, { ...request, acknowledger });
    return toResult(team, result);
  }

  return async (call) => {
    try {
      return await run(call);
    } catch (error) {
      throw explainError(error, call);
    }
  };
}

function toResult(
  team: PeerSession,
  { output, repeatedSequences: again, settle }: WaitResult,
): OperationResult {
  const { notices } = team.state;
  const repeated = [...(again ?? [])].map((sequence) => `#${sequence}`);
  const lines = [
    ...formatNotices(notices),
    ...(repeated.length > 0 ? [`(again) you may have seen already: ${repeated.join(" ")}`] : []),
  ];
  return {
    output,
    notice: lines.length > 0 ? lines.join("\n") : undefined,
    settle: (arrived) => {
      if (arrived) team.advance({ type: "noticesShown", notices });
      settle(arrived);
    },
  };
}

/**
 * Updates the peer after calls that the model makes itself. The model need not be notified of its own
 * changes, and messages that it has acknowledged are not delivered again.
 */
const notices: Partial<Record<OperationName, (team: PeerSession, output: JsonFields) => void>> = {
  // The broker's reply has the type of the operation's output.
  set_status: (team, output) => noteDeclared(team, output as OutputOf<"set_status">),
  ack: (team, { cursor }) => {
    if (typeof cursor === "number") team.mail.passUpTo(cursor);
  },
  update_session_doc: (team, { version }) => recordWritten(team, version),
  append_to_session_doc: (team, { version }) => recordWritten(team, version),
  edit_session_doc: (team, { version }) => recordWritten(team, version),
  conclude_session: (team, { doc_version }) => {
    team.advance({ type: "concluded" });
    recordWritten(team, doc_version);
  },
};

function recordWritten(team: PeerSession, version: unknown): void {
  if (typeof version === "number") team.advance({ type: "documentShown", version });
}

function refuseCursor(operation: string, input: JsonFields): void {
  const field = ["since_cursor", "epoch"].find((name) => input[name] !== undefined);
  if (field === undefined) return;
  throw new MerkleError("bad_request", `Leave out ${field}: this server remembers what you have read.`, {
    fields: [{ field, problem: "is kept by this server" }],
    operation,
  });
}

/**
 * Rewords errors in which the broker mentions credentials and fields that models of this server never see.
 */
function explainError(error: unknown, call: OperationCall): unknown {
  if (!(error instanceof MerkleError)) return error;
  if (error.code === "unauthorized") return explainUnauthorized(error, call);
  return explainInput(error, call);
}

function explainInput(error: MerkleError, { operation }: OperationCall): MerkleError {
  const { fields: problems, accepted_fields: accepted } = error.details;
  if (!Array.isArray(problems) || accepted === undefined) return error;
  const fields = listShownFields(operation);
  return inputRefused(problems, { fields, tooLarge: error.code === "payload_too_large" });
}

function explainUnauthorized(error: MerkleError, { operation, input, team }: OperationCall): MerkleError {
  const { needs, close_code: closeCode } = error.details;
  if (error.details["reason"] === "time") return clockIsOff(error);
  if (needs === "membership" || closeCode === closeCodes.unauthorized.code) return notAdmitted(error);
  // Operations without `team_id`, such as those that send an invite's proof, were refused for another reason.
  if (!("team_id" in operation.input.shape)) return error;
  const { team_id: given, session_id: session } = input;
  if (given === undefined)
    return new MerkleError(
      "unauthorized",
      session === undefined || !canOmitSession(operation)
        ? "You have not joined a session yet. Join one first."
        : `You have not joined the session "${session}" yet. Join it first.`,
      { next: "join_session" },
    );
  if (team)
    return new MerkleError(
      "unauthorized",
      `${team.address} no longer has access: its credential was replaced elsewhere, or it has left. Join again to take part.`,
      { next: "join_session" },
    );
  return error;
}

/**
 * Returns the error for a machine whose clock is wrong. The server reconnects by itself once the clock is
 * right.
 */
function clockIsOff({ message, details }: MerkleError): MerkleError {
  return new MerkleError(
    "unauthorized",
    `The broker rejects this server because of this machine's clock. Tell your human, and call again when they have corrected the clock. (${message})`,
    details,
  );
}

/** Returns the error for a broker that refuses to admit this server, which no tool call can change. */
function notAdmitted({ message }: MerkleError): MerkleError {
  return new MerkleError(
    "unauthorized",
    `The broker rejects this server: its human's token or membership was revoked, has expired, or never existed. Tell your human, and stop calling until they have fixed it. (${message})`,
  );
}
