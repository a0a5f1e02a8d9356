import type { InputOf, OutputOf, SourceRef } from "@merkle/wire";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import { fileArgument } from "../../command/arguments.js";
import type { Argument, CommandContext } from "../../command/command.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { type Actor, getPersonActor, getSessionActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { toShellWord } from "../../text/shell.js";

/** The kind of text whose topics a group of commands handles: documents of sessions, or files under Git. */
export interface TopicTarget {
  /** The first word of the commands in the group. */
  readonly group: "doc" | "source";
  /** How help refers to this kind of text, for example "the document". */
  readonly what: string;
  /** The argument that names the document or file. */
  readonly argument: Argument;
  /** The argument to show in examples. */
  readonly example: string;
  /** Finds the document or file that the first argument names. */
  open(context: Pick<CommandContext, "args" | "config" | "signal">): Promise<TopicSource>;
}

/** A document or file that can have topics. */
interface TopicSource {
  readonly broker: BrokerClient;
  readonly selector: Pick<InputOf<"list_topics">, "session_id" | "source_path">;
  /** The document or file, for the address of its page. */
  readonly page: SourceRef;
  /** The name of the document or file, for use in a sentence. */
  readonly name: string;
  /** The name of the document or file, as typed in a command. */
  readonly typed: string;
  /** Returns the actor who writes the comments. */
  getActor(): Promise<Actor>;
  /** Returns the newest version or hash, which a new comment refers to. */
  readNewest(): Promise<Pick<InputOf<"open_topic">, "version" | "source_sha">>;
  /** Returns the command that starts an agent to work on a topic. */
  formatIncorporateCommand(topic_id: number): string;
}

/**
 * Returns a topic with the first page of its messages.
 *
 * @throws CliError `not_found` if the topic belongs to a different document or file
 */
export async function getTopicInSource(
  { broker, selector, name, typed }: TopicSource,
  { topic_id, group }: { readonly topic_id: number; readonly group: TopicTarget["group"] },
): Promise<OutputOf<"get_topic">> {
  const topic = await broker.call("get_topic", { topic_id });
  const belongsToSource =
    selector.source_path === undefined
      ? topic.session_id === selector.session_id && topic.source_path === null
      : topic.source_path === selector.source_path;
  if (belongsToSource) return topic;
  throw new CliError("not_found", `${name} has no topic ${topic_id}.`, {
    exitCode: exitCodes.not_found,
    next: [`merkle ${group} topics ${typed}`],
  });
}

/** Handles topics about the documents of sessions. */
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
      selector: { session_id },
      page: { session: slug, source_path: null },
      name: slug,
      typed: slug,
      getActor: () => getSessionActor(session, { broker, config }),
      readNewest: async () => ({ version: document_version }),
      formatIncorporateCommand: (topic_id) => `merkle jobs run ${slug} incorporate --topic ${topic_id}`,
    };
  },
};

/** Handles topics about files under Git. */
export const topicsOfFiles: TopicTarget = {
  group: "source",
  what: "a file under Git",
  argument: fileArgument,
  example: "docs/guide.md",
  async open({ args: [source_path = ""], config, signal }) {
    const broker = await findBroker(config, signal);
    const typed = toShellWord(source_path);
    return {
      broker,
      selector: { source_path },
      page: { session: null, source_path },
      name: source_path,
      typed,
      getActor: async () => getPersonActor({ broker, config }),
      readNewest: async () => {
        const { source_sha } = await broker.call("read_source", { source_path });
        return { source_sha };
      },
      formatIncorporateCommand: (topic_id) => `merkle source incorporate ${typed} ${topic_id}`,
    };
  },
};
