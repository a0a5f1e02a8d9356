import { setTimeout as delay } from "node:timers/promises";
import { type ListedTool, MerkleError, type Operation } from "@merkle/wire";
import type { Config } from "../config.js";
import { openBrokerLink } from "./broker-link.js";
import { completeInput } from "./complete-input.js";
import { createEntrance } from "./entrance.js";
import { createKeyring } from "./keyring.js";
import { createLongResults } from "./long-results.js";
import { createMembership, type Fields } from "./membership.js";
import type { McpOptions } from "./options.js";
import { createPerformer } from "./perform.js";
import { type CallResult, createRenderer } from "./render.js";
import { createTeams } from "./teams.js";
import { listTools, offeredOperations } from "./tool-list.js";

/** Everything behind the tools: the connection to the broker, the teams that this server acts as, and what it keeps. */
export interface ToolDesk {
  readonly tools: ListedTool[];
  /** Answers a tool call; a failure is an answer, too. Rejects only when the caller has given up. */
  call(name: string, args: unknown, signal: AbortSignal): Promise<ToolAnswer>;
  /** Ends the connection. The teams stay in their sessions, and their place is kept. */
  close(): Promise<void>;
}

export interface ToolAnswer {
  readonly result: CallResult;
  /** To be told whether the answer arrived. */
  settle(arrived: boolean): void;
}

export interface ToolDeskOptions {
  readonly config: Config;
  readonly options: McpOptions;
  /** The Claude Code session whose server this is: a later server of it goes on as this one's teams. */
  readonly claudeSessionId: string | null;
  readonly log: (text: string) => void;
}

export function openToolDesk({ config, options, claudeSessionId, log }: ToolDeskOptions): ToolDesk {
  const { home } = config;
  const keyring = createKeyring();
  const teams = createTeams(log);
  const link = openBrokerLink({
    config,
    onClient: (client) => teams.subscribe(client),
    onUp: () => void enterQuietly(),
    log,
  });
  const entrance = createEntrance({ link, teams, keyring, home, options, claudeSessionId });
  const membership = createMembership({ link, teams, keyring, home, claudeSessionId, log });
  const perform = createPerformer({ link, membership, keyring, view: options.view });
  const longResults = createLongResults();
  const render = createRenderer({ view: options.view, keyring, longResults });
  const offered = new Map<string, Operation>(
    offeredOperations(options.toolsets).map((each) => [each.name, each]),
  );
  void enterQuietly();

  /** Whatever keeps it out, the model is told by its next call. */
  async function enterQuietly(): Promise<void> {
    try {
      const refusal = await entrance.enter();
      if (refusal) log(refusal.message);
    } catch (error) {
      log(describe(error));
    }
  }

  async function answer(name: string, args: unknown, signal: AbortSignal): Promise<ToolAnswer> {
    const fields = requireFields(name, args);
    if (name === "read_more")
      return { result: render.text(longResults.read(readId(fields))), settle: ignore };
    const operation = offered.get(name);
    if (!operation) throw unknownTool(name);
    const refusal = await entrance.enter();
    const { input, team } = completeInput({ operation, fields, refusal, teams, keyring });
    const { output, notice, settle = ignore } = await perform({ operation, input, team, signal });
    return { result: render.output(operation, output, notice), settle };
  }

  return {
    tools: listTools(options.toolsets),
    async call(name, args, signal) {
      try {
        return await answer(name, args, signal);
      } catch (error) {
        signal.throwIfAborted();
        return { result: render.error(name, toMerkleError(error, log)), settle: ignore };
      }
    },
    async close() {
      await Promise.all([teams.close(), Promise.race([link.close(), delay(goodbyeMsMax)])]);
    },
  };
}

/** A broker that does not answer the goodbye is not waited for. */
const goodbyeMsMax = 80;

function ignore(): void {}

function requireFields(name: string, args: unknown): Fields {
  if (args === undefined) return {};
  if (typeof args === "object" && args !== null && !Array.isArray(args)) return { ...args };
  throw new MerkleError("bad_request", `${name.slice(0, 100)} takes a JSON object as its arguments.`);
}

function readId(fields: Fields): string {
  const { id, ...others } = fields;
  if (typeof id === "string" && Object.keys(others).length === 0) return id;
  throw new MerkleError(
    "bad_request",
    "read_more takes the id that the first line of a long result names, and nothing else.",
  );
}

function unknownTool(name: string): MerkleError {
  return new MerkleError(
    "not_found",
    `There is no tool "${name.slice(0, 100)}". tools/list names those there are.`,
  );
}

function toMerkleError(error: unknown, log: (text: string) => void): MerkleError {
  if (error instanceof MerkleError) return error;
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return new MerkleError("internal", `Something unexpected went wrong in merkle mcp: ${describe(error)}`);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
