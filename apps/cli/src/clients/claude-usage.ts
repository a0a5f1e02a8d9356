import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseCount } from "../core/parse-count.js";
import { findClaudeTranscript } from "./claude-paths.js";
import { combine, parseLines, sumByModel, type TokenCounts, type UsageRecord } from "./usage-record.js";

/**
 * The number of recent answers to remember. An answer from a model spans several lines with the same id, and
 * only the last of these lines has the final count.
 */
const answersMax = 50;

/**
 * Reads token usage from Claude Code's transcripts, in which every answer of a model reports its usage.
 * Subagents have separate files.
 */
export const claudeUsage: UsageRecord = {
  find: findTranscripts,
  read(text, carried) {
    const seen = new Map<string, TokenCounts>(Object.entries(Object(carried?.["answers"])));
    const used = parseLines(text, '"usage"').flatMap((line) => {
      const { id, model, usage } = Object(line["message"]);
      const isAnswer = line["type"] === "assistant" && typeof id === "string" && typeof model === "string";
      if (!isAnswer || model === "" || model.startsWith("<")) return [];
      const tokens = toTokens(Object(usage));
      const before = seen.get(id);
      seen.delete(id);
      seen.set(id, before ? combine(before, tokens, Math.max) : tokens);
      return [
        { model, ...(before ? combine(tokens, before, (now, then) => Math.max(0, now - then)) : tokens) },
      ];
    });
    const answers = Object.fromEntries([...seen].slice(-answersMax));
    return { usage: sumByModel(used), carried: { answers } };
  },
};

/**
 * Finds the conversation's transcript and those of its subagents, which are in a folder named after the
 * transcript.
 */
async function findTranscripts(conversation: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const transcript = await findClaudeTranscript(conversation, env);
  if (transcript === undefined) return [];
  const folder = join(transcript.replace(/\.jsonl$/, ""), "subagents");
  const names = await readdir(folder).catch(() => []);
  const ofSubagents = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  return [transcript, ...ofSubagents];
}

function toTokens(usage: Readonly<Record<string, unknown>>): TokenCounts {
  return {
    input_tokens: parseCount(usage["input_tokens"]),
    output_tokens: parseCount(usage["output_tokens"]),
    cache_read_tokens: parseCount(usage["cache_read_input_tokens"]),
    cache_write_tokens: parseCount(usage["cache_creation_input_tokens"]),
  };
}
