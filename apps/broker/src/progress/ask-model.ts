import type { SummaryOptions } from "./summary-options.js";

/** More than any answer to the question below needs; what is longer is not read. */
const answerBytesMax = 1024 * 1024;

const defaults = { baseUrl: "https://api.openai.com/v1", model: "gpt-4o-mini" };

/** What is asked, and of whom. */
export interface Question {
  readonly instructions: string;
  readonly text: string;
  readonly tokensMax: number;
}

/**
 * Asks a model, and gives its answer as it came, which may be blank.
 *
 * @throws what `describeFailure` understands
 */
export async function askModel(
  { apiKey, baseUrl = defaults.baseUrl, model = defaults.model }: SummaryOptions,
  { instructions, text, tokensMax }: Question,
  signal: AbortSignal,
): Promise<string> {
  // Loaded for the first question: most brokers are never asked any.
  const { OpenAI } = await import("openai");
  const client = new OpenAI({
    apiKey,
    baseURL: baseUrl,
    // What it would else take from the environment by itself, or write to the console.
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: "off",
    // The next call asks again.
    maxRetries: 0,
    fetch: fetchBounded,
  });
  const ask = async (bounds: Bounds) => {
    const messages = [
      { role: "system" as const, content: instructions },
      { role: "user" as const, content: text },
    ];
    const answer = await client.chat.completions.create({ model, messages, ...bounds }, { signal });
    const content: unknown = answer.choices?.[0]?.message?.content;
    return typeof content === "string" ? content : "";
  };
  try {
    return await ask({ max_tokens: tokensMax, temperature: 0.3 });
  } catch (error) {
    if (!isAskedForOtherBounds(error)) throw error;
    // Models that think first count that, too, and have one temperature.
    return ask({ max_completion_tokens: tokensMax + thinkingTokensMax });
  }
}

type Bounds =
  | { readonly max_tokens: number; readonly temperature: number }
  | { readonly max_completion_tokens: number };

const thinkingTokensMax = 2_000;

/** Whether the server says that the model takes `max_completion_tokens` alone. */
function isAskedForOtherBounds(error: unknown): boolean {
  if (!(error instanceof Error) || !("status" in error)) return false;
  return error.status === 400 && error.message.includes("max_completion_tokens");
}

/** In words of ours alone: a server may repeat the key in its own. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return "something that is no error was thrown";
  if ("status" in error && typeof error.status === "number") return describeStatus(error.status);
  const reasons = [...causesOf(error)];
  if (reasons.some((each) => each instanceof AnswerTooLarge)) return "its answer was too large";
  const code = reasons
    .map((each) => ("code" in each ? each.code : undefined))
    .find((each) => typeof each === "string");
  return code === undefined
    ? "its answer was not understood, or did not come whole"
    : `it was not reached (${code})`;
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return `it refused the key (${status})`;
  return status === 429 ? "its rate limit was exceeded (429)" : `it answered with status ${status}`;
}

function* causesOf(error: Error): Generator<Error> {
  for (let each: unknown = error; each instanceof Error; each = each.cause) yield each;
}

class AnswerTooLarge extends Error {}

/** A redirect is not followed: the key is for that address. */
async function fetchBounded(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { body, status, statusText, headers } = await fetch(input, { ...init, redirect: "error" });
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > answerBytesMax) controller.error(new AnswerTooLarge());
      else controller.enqueue(chunk);
    },
  });
  return new Response(body?.pipeThrough(counting) ?? null, { status, statusText, headers });
}
