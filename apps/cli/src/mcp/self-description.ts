import { hostname } from "node:os";
import type { InputOf, Toolset, WakePath } from "@merkle/wire";
import { readEnvironment } from "../settings/config.js";

/** The client and the machine of this server, as others see them, so that they know whom they write to. */
export type SelfDescription = Pick<InputOf<"join_session">, "capabilities" | "cwd" | "machine">;

/** A client as it introduced itself. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

interface Describing {
  readonly client: ClientInfo | undefined;
  readonly toolsets: ReadonlySet<Toolset>;
  readonly wake: readonly WakePath[];
}

/** Describes this server. A text that is longer than the broker takes is cut: a client must not be kept out by its own name. */
export function describeSelf({ client, toolsets, wake }: Describing): SelfDescription {
  const { model: named, projectFolder } = readEnvironment();
  const name = oneLine(client?.name ?? "", 100);
  const version = oneLine(client?.version ?? "", 100);
  const machine = oneLine(hostname(), 100);
  // A server is not told its client's model. It inherits what the launch, or the user for Claude Code, has named.
  const model = oneLine(named, 100);
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

function oneLine(text: string, charsMax: number): string {
  return text
    .replace(/[\p{Cc}\p{Surrogate}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, charsMax);
}
