/**
 * A client's own record of a conversation, as far as it says what models used. It is private to the client, and promised to
 * nobody: what is not understood counts as nothing. Nothing but numbers and names of models is taken from it.
 */
export interface UsageRecord {
  /** The files of a conversation: its own, and those of its subagents where they have some. */
  find(conversation: string, env: NodeJS.ProcessEnv): Promise<readonly string[]>;
  /** The use that the next whole lines of the file report, and the state needed to read those after them. */
  read(
    text: string,
    carried: Carried | undefined,
  ): { readonly usage: readonly UsedTokens[]; readonly carried: Carried };
}

/** The state between two reads, as JSON: each kind of record has its own. */
export type Carried = Readonly<Record<string, unknown>>;

export type UsedTokens = Tokens & { readonly model: string };

/** Tokens of a model by their kinds. */
export interface Tokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
}

/** The sums of what was used, by model; nothing of a model that used nothing. */
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

/** The lines of a record that are JSON objects and hold this word, which most do not. */
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
