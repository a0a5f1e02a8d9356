/**
 * Reads the token usage that a client records for a conversation. The format is private to the client and
 * undocumented, so unknown parts are ignored. Only numbers and model names are read.
 */
export interface UsageRecord {
  /** Returns the files that record the conversation, including those for its subagents. */
  find(conversation: string, env: NodeJS.ProcessEnv): Promise<readonly string[]>;
  /** Returns the usage in the file's next complete lines, and the state to pass to the next read. */
  read(
    text: string,
    carried: UsageReadState | undefined,
  ): { readonly usage: readonly ModelTokenCounts[]; readonly carried: UsageReadState };
}

/** The state between two reads of a file, as JSON. Each client's format has its own kind of state. */
export type UsageReadState = Readonly<Record<string, unknown>>;

export type ModelTokenCounts = TokenCounts & { readonly model: string };

/** A model's token counts by kind. */
export interface TokenCounts {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
}

/** Sums the usage by model. Omits models that used no tokens. */
export function sumByModel(used: readonly ModelTokenCounts[]): ModelTokenCounts[] {
  const sums = new Map<string, TokenCounts>();
  for (const { model, ...tokens } of used) {
    const sum = sums.get(model);
    sums.set(model, sum ? combine(sum, tokens, (a, b) => a + b) : tokens);
  }
  return [...sums]
    .filter(([, tokens]) => Object.values(tokens).some((count) => count > 0))
    .map(([model, tokens]) => ({ model: model.slice(0, 100), ...tokens }));
}

export function combine(
  one: TokenCounts,
  other: TokenCounts,
  by: (a: number, b: number) => number,
): TokenCounts {
  return {
    input_tokens: by(one.input_tokens, other.input_tokens),
    output_tokens: by(one.output_tokens, other.output_tokens),
    cache_read_tokens: by(one.cache_read_tokens, other.cache_read_tokens),
    cache_write_tokens: by(one.cache_write_tokens, other.cache_write_tokens),
  };
}

/** Returns the lines that are JSON objects and contain this word. Lines without the word are not parsed. */
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
