import type { InputOf, OutputOf } from "@merkle/wire";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import { fileArgument } from "../../command/arguments.js";
import type { Argument, CommandContext } from "../../command/command.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { type Actor, actingAsPerson, actingIn } from "../../identity/acting.js";
import { getSession } from "../../sessions/find-session.js";
import { shellWord } from "../../text/shell.js";

/** The kind of thing that a group of commands talks about in topics: documents of sessions, or files under Git. */
export interface TopicTarget {
  /** The group, as it is typed. */
  readonly group: "doc" | "source";
  /** The name of it in help. */
  readonly what: string;
  /** The argument that names one. */
  readonly argument: Argument;
  /** The same, in examples. */
  readonly example: string;
  /** Finds the one that the first argument names. */
  open(context: Pick<CommandContext, "args" | "config" | "signal">): Promise<Commented>;
}

/** A document or a file that people comment on. */
interface Commented {
  readonly broker: BrokerClient;
  readonly of: Pick<InputOf<"list_topics">, "session_id" | "source_path">;
  /** How it is called in a sentence. */
  readonly name: string;
  /** How it is typed in a command. */
  readonly typed: string;
  /** The actor that speaks about it from here. */
  actor(): Promise<Actor>;
  /** The text that a comment is about: the newest. */
  newest(): Promise<Pick<InputOf<"open_topic">, "version" | "source_sha">>;
  /** The command to have an agent work on a topic of it. */
  incorporateBy(topic_id: number): string;
}

/** A topic of it, with the first page of what was said. @throws CliError `not_found` when it is of something else */
export async function getTopicOf(
  { broker, of, name, typed }: Commented,
  { topic_id, group }: { readonly topic_id: number; readonly group: TopicTarget["group"] },
): Promise<OutputOf<"get_topic">> {
  const topic = await broker.call("get_topic", { topic_id });
  const isOfIt =
    of.source_path === undefined
      ? topic.session_id === of.session_id && topic.source_path === null
      : topic.source_path === of.source_path;
  if (isOfIt) return topic;
  throw new CliError("not_found", `${name} has no topic ${topic_id}.`, {
    exitCode: exitCodes.not_found,
    next: [`merkle ${group} topics ${typed}`],
  });
}

/** Topics about the documents of sessions. */
export const topicsOfDocuments: TopicTarget = {
  group: "doc",
  what: "the document",
  argument: { name: "<session>", summary: "slug, id or exact title" },
  example: "split-auth",
  async open({ args: [name], config, signal }) {
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const { session_id, slug, document_version } = session;
    return {
      broker,
      of: { session_id },
      name: slug,
      typed: slug,
      actor: () => actingIn(session, { broker, config }),
      newest: async () => ({ version: document_version }),
      incorporateBy: (topic_id) => `merkle jobs run ${slug} incorporate --topic ${topic_id}`,
    };
  },
};

/** Topics about files under Git. */
export const topicsOfFiles: TopicTarget = {
  group: "source",
  what: "a file under Git",
  argument: fileArgument,
  example: "docs/guide.md",
  async open({ args: [source_path = ""], config, signal }) {
    const broker = await findBroker(config, signal);
    const typed = shellWord(source_path);
    return {
      broker,
      of: { source_path },
      name: source_path,
      typed,
      actor: async () => actingAsPerson({ broker, config }),
      newest: async () => {
        const { source_sha } = await broker.call("read_source", { source_path });
        return { source_sha };
      },
      incorporateBy: (topic_id) => `merkle source incorporate ${typed} ${topic_id}`,
    };
  },
};
