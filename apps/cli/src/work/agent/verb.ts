import type { JobClient } from "./job-client.js";

/** One thing that `merkle agent` does for the agent of a job. */
export interface Verb {
  /** As it is typed, behind `merkle agent`. */
  readonly name: string;
  /** What stands behind it, for an error that says how it is called. */
  readonly usage: string;
  readonly options: Readonly<Record<string, { readonly type: "string" | "boolean" }>>;
  /** Resolves with what is printed as JSON. */
  run(context: VerbContext): Promise<object>;
}

export interface VerbContext {
  readonly client: JobClient;
  readonly options: Options;
  /** All of stdin, which must not be blank. @throws CliError `usage`, `payload_too_large` */
  readText(bytesMax: number): Promise<string>;
}

/** What was given behind the verb. */
export interface Options {
  /** @throws CliError `usage` where it is missing */
  text(name: string): string;
  findText(name: string): string | undefined;
  /** @throws CliError `usage` where it is missing, or no whole number */
  number(name: string): number;
  findNumber(name: string): number | undefined;
  isSet(name: string): boolean;
}
