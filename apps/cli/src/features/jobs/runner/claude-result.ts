import type { ModelUsage } from "@merkle/wire";
import { countOf } from "../../../core/count-of.js";

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
    const used = byModel.length > 0 ? byModel.map(ofModel) : ofAll(Object(usage));
    return { text: typeof result === "string" ? result : "", usage: used.slice(0, 20) };
  } catch {
    return undefined;
  }
}

function ofModel([model, value]: [string, unknown]): ModelUsage {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, costUSD } =
    Object(value);
  return {
    model: model.slice(0, 100) || "unknown",
    input_tokens: countOf(inputTokens),
    output_tokens: countOf(outputTokens),
    cache_read_tokens: countOf(cacheReadInputTokens),
    cache_write_tokens: countOf(cacheCreationInputTokens),
    ...(typeof costUSD === "number" && costUSD >= 0 && { cost_usd: costUSD }),
  };
}

/** Returns the total usage under the model name "unknown". Used for results that name no models. */
function ofAll(usage: Readonly<Record<string, unknown>>): ModelUsage[] {
  const input_tokens = countOf(usage["input_tokens"]);
  const output_tokens = countOf(usage["output_tokens"]);
  if (input_tokens + output_tokens === 0) return [];
  return [
    {
      model: "unknown",
      ...{ input_tokens, output_tokens },
      cache_read_tokens: countOf(usage["cache_read_input_tokens"]),
      cache_write_tokens: countOf(usage["cache_creation_input_tokens"]),
    },
  ];
}
