import type { Config } from "../config.js";
import { entryFile } from "../entry-file.js";
import { toMerkleHome } from "../merkle-home.js";

/** What a client runs to speak to Merkle: this same merkle, wherever the client is started. */
export interface ServerProgram {
  readonly command: string;
  readonly entry: readonly string[];
  /** What is not as it would be by itself: another home, a broker that was named. */
  readonly env: Readonly<Record<string, string>>;
}

export function serverProgram({ home, broker }: Pick<Config, "home" | "broker">): ServerProgram {
  const isNamed = broker.source !== "default" && broker.source !== "config.json";
  return {
    command: process.execPath,
    entry: [entryFile()],
    env: {
      ...(home !== toMerkleHome(undefined, process.cwd()) && { MERKLE_HOME: home }),
      ...(isNamed && { MERKLE_URL: broker.base }),
    },
  };
}
