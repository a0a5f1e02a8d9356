import type { BrokerOptions } from "../../core/broker-code.js";
import type { Feature } from "../../feature.js";

/**
 * Reads `MERKLE_ARCHIVE_URL`, the object storage to which concluded sessions may be moved:
 * `s3://bucket/prefix?region=…&endpoint=https://…`, with the keys in `AWS_ACCESS_KEY_ID`,
 * `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` (ARCHIVE-1). A `.env` file cannot set the variable, because
 * a project must not decide where concluded sessions are stored.
 */
function readArchiveOptions(env: NodeJS.ProcessEnv): BrokerOptions["archive"] {
  const url = env["MERKLE_ARCHIVE_URL"]?.trim();
  if (!url) return undefined;
  return {
    url,
    accessKeyId: env["AWS_ACCESS_KEY_ID"],
    secretAccessKey: env["AWS_SECRET_ACCESS_KEY"],
    sessionToken: env["AWS_SESSION_TOKEN"],
  };
}

/** Concluded sessions in object storage. */
export const feature: Feature = {
  needs: [],
  settings: {
    archive: {
      variables: [{ name: "MERKLE_ARCHIVE_URL" }],
      help: [
        "MERKLE_ARCHIVE_URL",
        "where archived sessions are stored: s3://bucket/prefix?region=…&endpoint=https://…; with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
      ],
      read: ({ environment }) => (readArchiveOptions(environment) === undefined ? null : "set"),
    },
  },
  prepareBroker: async ({ environment }) => ({ options: { archive: readArchiveOptions(environment) } }),
  commands: [
    {
      topic: "records",
      after: "export",
      load: {
        archive: async () => (await import("./archive.js")).archive,
        unarchive: async () => (await import("./unarchive.js")).unarchive,
      },
    },
  ],
};
