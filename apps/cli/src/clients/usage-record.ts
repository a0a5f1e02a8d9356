/**
 * A client's own record of a conversation, used to read token usage. The format is private to the client and
 * undocumented, so unknown parts are ignored. Only numbers and model names are read.
 */
export interface UsageRecord {
  /** Returns the conversation's files, including those of its subagents. */
  find(conversation: string, env: NodeJS.ProcessEnv): Promise<readonly string[]>;
  /**
   * Returns the usage in the next complete lines of the file, and the state for reading the lines after them.
   */
  read(
    text: string,
    carried: Carried | undefined,
  ): { readonly usage: readonly UsedTokens[]; readonly carried: Carried };
}

/** The state between two reads, as JSON. Each record format has its own. */
export type Carried = Readonly<Record<string, unknown>>;

export type UsedTokens = Tokens & { readonly model: string };

/** A model's token counts by kind. */
export interface Tokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
}

/** Sums the usage by model. Omits models without any usage. */
export function sumByModel(used: readonly UsedTokens[]): UsedTokens[] {
  const sums = new Map<string, Tokens>();
  for (const { model, ...tokens } of used) {
    const sum = sums.get(model);
    sums.set(model, sum ? combine(sum, tokens, (a, b) => a + b) : tokens);
  }
  return [...sums]
    .filter(([, tokens]) => Object.values(tokens).some((count) => count > 0))
    .map(([model, tokens]) => ({ model: model.slice(0, 100), ...tokens }));
}

export function combine(one: Tokens, other: Tokens, by: (a: number, b: number) => number): Tokens {
  return {
    input_tokens: by(one.input_tokens, other.input_tokens),
    output_tokens: by(one.output_tokens, other.output_tokens),
    cache_read_tokens: by(one.cache_read_tokens, other.cache_read_tokens),
    cache_write_tokens: by(one.cache_write_tokens, other.cache_write_tokens),
  };
}

/**
 * Returns the lines that are JSON objects and contain this word. Most lines do not contain it and need no
 * parsing.
 */
export function parseLines(text: string, word: string): Readonly<Record<string, unknown>>[] {
  return text.split("\n").flatMap((line) => {
    if (!line.includes(word)) return [];
    try {
      return [Object(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}
