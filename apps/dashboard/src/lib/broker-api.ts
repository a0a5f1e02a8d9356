import type { ErrorBody, OutputOf } from "@merkle/wire";

/** The operations that the pages read, by their paths below the broker's address. */
interface Reads {
  "/api/app-info": OutputOf<"get_app_info">;
  "/api/sessions": OutputOf<"list_sessions">;
}

/** Why a read failed, in words for people. */
export interface Problem {
  readonly title: string;
  readonly detail: string;
}

export class ReadError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.title} ${problem.detail}`);
    this.problem = problem;
  }
}

const answerTimeoutMs = 10_000;

/**
 * Reads from the broker that served this page.
 *
 * @throws ReadError when it does not answer, or answers with a failure
 */
export async function readFromBroker<Path extends keyof Reads>(
  path: Path,
  query: Record<string, string | number>,
  signal: AbortSignal,
): Promise<Reads[Path]> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const response = await askBroker(`${path}?${search}`, signal);
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new ReadError(describeFailure(response.status, body));
  // The broker checks what it gives against the same catalogue that this type comes from.
  return body as Reads[Path];
}

async function askBroker(address: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]) });
  } catch {
    throw new ReadError({
      title: "The broker does not answer.",
      detail: "It may be stopped, or the network to it is down. Start it with: merkle up",
    });
  }
}

function describeFailure(status: number, body: unknown): Problem {
  const title = `The broker answered with an error (${status}).`;
  return { title, detail: isErrorBody(body) ? body.error.message : "It gave no reason." };
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return (
    typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
  );
}
