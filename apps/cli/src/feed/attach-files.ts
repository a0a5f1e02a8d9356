import type { MessageFile, Session } from "@merkle/wire";
import type { BrokerClient } from "../broker/broker-client.js";
import type { CommandContext } from "../command/command.js";

/** Uploads the files of a message that a command posts. A feature provides it. */
export type AttachFiles = (
  paths: readonly string[],
  post: Pick<CommandContext, "flags" | "config" | "io" | "signal"> & {
    readonly broker: BrokerClient;
    readonly session: Session;
  },
) => Promise<readonly MessageFile[]>;
