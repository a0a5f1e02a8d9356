import type { Answer } from "./obey.js";
import type { ScriptedModelOptions } from "./scripted-model.js";
import type { ModelPrompt } from "./shown.js";
import { isNudge } from "./team-scripts.js";

/** A model request with its reply. */
export interface Exchange {
  readonly shown: ModelPrompt;
  readonly answer: Answer;
}

/** The cost of one or more agents' work. */
export interface Cost {
  readonly requests: number;
  readonly bytes: number;
  /** Requests to which the model replied only with calls of Merkle's tools. */
  readonly merkleOnly: number;
  /** Those after a prompt of the agent's own person, which are a worker's whole work on its task. */
  readonly merkleOnlyAtWork: number;
  readonly nudgedTurns: number;
  /** Nudged turns in which the agent did something other than read. */
  readonly turnsOfConsequence: number;
}

/** Records a model's exchanges while it chooses its replies. */
export function recordExchanges(decide: NonNullable<ScriptedModelOptions["decide"]>) {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    async decide(shown: ModelPrompt): Promise<Answer> {
      const answer = await decide(shown);
      exchanges.push({ shown, answer });
      return answer;
    },
  };
}

/** Counts the cost of exchanges, which may be of several agents, one after the other. */
export function countCost(exchanges: readonly Exchange[]): Cost {
  const turns = toTurns(exchanges);
  const nudged = turns.filter(isNudged);
  const atWork = turns.filter((turn) => !isNudged(turn)).flat();
  return {
    requests: exchanges.length,
    bytes: exchanges.reduce((sum, { shown }) => sum + shown.bytes, 0),
    merkleOnly: exchanges.filter(callsOnlyMerkle).length,
    merkleOnlyAtWork: atWork.filter(callsOnlyMerkle).length,
    nudgedTurns: nudged.length,
    turnsOfConsequence: nudged.filter((turn) => turn.some(acts)).length,
  };
}

/** Splits exchanges into turns. A hook that prevents the end of a turn does not start another turn. */
function toTurns(exchanges: readonly Exchange[]): Exchange[][] {
  const turns: Exchange[][] = [];
  let isOver = true;
  for (const exchange of exchanges) {
    if (isOver && !isContinued(exchange)) turns.push([]);
    turns.at(-1)?.push(exchange);
    isOver = "text" in exchange.answer;
  }
  return turns;
}

/** True if a hook prevented the end of the turn. Claude Code and Codex mark its text differently. */
const isContinued = ({ shown }: Exchange) => /Stop hook|<hook_prompt/.test(shown.news);

const isNudged = ([first]: readonly Exchange[]) => first !== undefined && isNudge(first.shown.news);

const toolsOf = ({ answer }: Exchange) => ("calls" in answer ? answer.calls.map(({ tool }) => tool) : []);

function callsOnlyMerkle(exchange: Exchange): boolean {
  const tools = toolsOf(exchange);
  return tools.length > 0 && tools.every((tool) => tool.startsWith("mcp__merkle__"));
}

const reads = /^mcp__merkle__(?:check_messages|wait_for_messages|(?:get|list|read)_)/;
const acts = (exchange: Exchange) => toolsOf(exchange).some((tool) => !reads.test(tool));
