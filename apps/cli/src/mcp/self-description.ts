import { hostname } from "node:os";
import type { InputOf, Toolset, WakePath } from "@merkle/wire";
import { readEnvironment } from "../settings/config.js";

/**
 * The client and the machine of this server, shown to other participants so that they know whom they are
 * writing to.
 */
export type SelfDescription = Pick<InputOf<"join_session">, "capabilities" | "cwd" | "machine">;

/** A client's name and version, as the client reports them. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

interface SelfDescriptionInput {
  readonly client: ClientInfo | undefined;
  readonly toolsets: ReadonlySet<Toolset>;
  readonly wake: readonly WakePath[];
}

/**
 * Describes this server. Truncates the fields at the broker's limits, so that a long client name cannot
 * prevent joining.
 */
export function describeSelf({ client, toolsets, wake }: SelfDescriptionInput): SelfDescription {
  const { model: modelName, projectFolder } = readEnvironment();
  const name = toOneLine(client?.name ?? "", 100);
  const version = toOneLine(client?.version ?? "", 100);
  const machine = toOneLine(hostname(), 100);
  // Clients do not report their model. The launch or, for Claude Code, the user's settings put the model into
  // this server's environment.
  const model = toOneLine(modelName, 100);
  return {
    capabilities: {
      ...(name && { client: name }),
      ...(version && { version }),
      ...(model && { model }),
      toolsets: [...toolsets],
      wake: [...wake],
    },
    cwd: projectFolder.slice(0, 1_000),
    ...(machine && { machine }),
  };
}

function toOneLine(text: string, charsMax: number): string {
  return text
    .replace(/[\p{Cc}\p{Surrogate}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, charsMax);
}
