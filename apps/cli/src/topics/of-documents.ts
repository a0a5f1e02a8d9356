import type { TopicTarget } from "../work/commented.js";

/** Topics about the documents of sessions. */
export const topicsOfDocuments: TopicTarget = {
  group: "doc",
  what: "the document",
  argument: { name: "<session>", summary: "slug, id or exact title" },
  example: "split-auth",
  async open({ args: [name], config, signal }) {
    const { findBroker } = await import("../broker/broker-client.js");
    const { getSession } = await import("../sessions/find-session.js");
    const { actingIn } = await import("../identity/acting.js");
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
