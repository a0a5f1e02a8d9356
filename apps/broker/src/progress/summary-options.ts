/** What makes summaries of progress entries. */
export interface SummaryOptions {
  /** Never logged, stored nor told. */
  readonly apiKey: string;
  /** Of any API that is like OpenAI's; `https://api.openai.com/v1` unless told. */
  readonly baseUrl?: string | undefined;
  /** `gpt-4o-mini` unless told. */
  readonly model?: string | undefined;
  /** How long a call of get_context waits for it, in milliseconds; 10,000 unless told. It then goes on, for the next call. */
  readonly waitMs?: number | undefined;
  /** How long a model may take in all, in milliseconds; 60,000 unless told. */
  readonly timeoutMs?: number | undefined;
}

export type ProgressLogLevel = "debug" | "info" | "warn" | "error";
