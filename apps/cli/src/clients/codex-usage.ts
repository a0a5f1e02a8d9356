import { parseCount } from "../core/parse-count.js";
import { findRollout } from "./codex-paths.js";
import { combine, parseLines, sumByModel, type TokenCounts, type UsageRecord } from "./usage-record.js";

/**
 * Reads token usage from Codex's rollouts, which contain running totals at intervals, and the model of each
 * turn.
 */
export const codexUsage: UsageRecord = {
  async find(conversation, env) {
    const rollout = await findRollout(conversation, env);
    return rollout === undefined ? [] : [rollout];
  },
  read(text, carried) {
    let total: TokenCounts = { ...none, ...Object(carried?.["total"]) };
    let model = typeof carried?.["model"] === "string" ? carried["model"] : "unknown";
    const used = parseLines(text, '"payload"').flatMap((line) => {
      const payload = Object(line["payload"]);
      if (line["type"] === "turn_context" && typeof payload.model === "string" && payload.model !== "") {
        model = payload.model;
      }
      const counted = Object(Object(payload.info).total_token_usage);
      if (payload.type !== "token_count" || typeof counted.total_tokens !== "number") return [];
      const now = toTokens(counted);
      // The running total can restart at zero after a compaction or a fork.
      const since = combine(now, total, (after, before) => Math.max(0, after - before));
      total = now;
      return [{ model, ...since }];
    });
    return { usage: sumByModel(used), carried: { total, model } };
  },
};

const none: TokenCounts = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

/** Converts Codex's token counts. Codex counts cached tokens as input and reasoning tokens as output. */
function toTokens(counted: Readonly<Record<string, unknown>>): TokenCounts {
  const read = parseCount(counted["cached_input_tokens"]);
  const written = parseCount(counted["cache_write_input_tokens"]);
  return {
    input_tokens: Math.max(0, parseCount(counted["input_tokens"]) - read - written),
    output_tokens: parseCount(counted["output_tokens"]),
    cache_read_tokens: read,
    cache_write_tokens: written,
  };
}
