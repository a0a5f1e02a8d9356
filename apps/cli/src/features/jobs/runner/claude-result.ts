import type { ModelUsage } from "@merkle/wire";
import { parseCount } from "../../../core/parse-count.js";

/** The result that `claude -p --output-format json` prints when it ends. */
export interface ClaudeResult {
  /** The agent's final message. */
  readonly text: string;
  readonly usage: ModelUsage[];
}

/** Parses the stdout of Claude Code. Returns undefined if it is not a complete result. */
export function parseClaudeResult(stdout: string): ClaudeResult | undefined {
  try {
    const { type, result, modelUsage, usage } = Object(JSON.parse(stdout));
    if (type !== "result") return undefined;
    const byModel = Object.entries(Object(modelUsage));
    const used = byModel.length > 0 ? byModel.map(toModelUsage) : toTotalUsage(Object(usage));
    return { text: typeof result === "string" ? result : "", usage: used.slice(0, 20) };
  } catch {
    return undefined;
  }
}

function toModelUsage([model, value]: [string, unknown]): ModelUsage {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, costUSD } =
    Object(value);
  return {
    model: model.slice(0, 100) || "unknown",
    input_tokens: parseCount(inputTokens),
    output_tokens: parseCount(outputTokens),
    cache_read_tokens: parseCount(cacheReadInputTokens),
    cache_write_tokens: parseCount(cacheCreationInputTokens),
    ...(typeof costUSD === "number" && costUSD >= 0 && { cost_usd: costUSD }),
  };
}

/** Returns the total usage under the model name "unknown". Used for results that name no models. */
function toTotalUsage(usage: Readonly<Record<string, unknown>>): ModelUsage[] {
  const input_tokens = parseCount(usage["input_tokens"]);
  const output_tokens = parseCount(usage["output_tokens"]);
  if (input_tokens + output_tokens === 0) return [];
  return [
    {
      model: "unknown",
      ...{ input_tokens, output_tokens },
      cache_read_tokens: parseCount(usage["cache_read_input_tokens"]),
      cache_write_tokens: parseCount(usage["cache_creation_input_tokens"]),
    },
  ];
}
