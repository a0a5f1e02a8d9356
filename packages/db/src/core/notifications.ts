import type { ConnectionTarget } from "./connection.js";
import { renewClient } from "./renewed-client.js";

/** A dedicated connection that listens to a channel and sends notifications on it. */
export interface Notifications {
  /** Starts listening. Must be called again after the connection has been lost. */
  listen(): Promise<void>;
  /** Sends notifications in order, in one transaction. */
  notify(payloads: readonly string[]): Promise<void>;
  /** Checks that the connection works. If not, `onLost` is called. */
  check(): Promise<void>;
  /** Closes the connection without waiting for pending statements. */
  end(): Promise<void>;
}

/**
 * @param onLost - called when the connection is lost; notifications are missed until `listen` is called again
 */
export function openNotifications(
  target: ConnectionTarget,
  channel: string,
  { onNotified, onLost }: { readonly onNotified: (payload: string) => void; readonly onLost: () => void },
): Notifications {
  const client = renewClient(target, 1, { keepOpen: true, onLost, onNotified });
  return {
    async listen() {
      await client.ask((sql) => sql`LISTEN ${sql(channel)}`);
    },
    async notify(payloads) {
      await client.ask(
        (sql) => sql`
          SELECT pg_notify(${channel}, p.payload)
          FROM json_array_elements_text(${JSON.stringify(payloads)}::text::json) WITH ORDINALITY AS p (payload, place)
          ORDER BY p.place`,
      );
    },
    async check() {
      await client.ask((sql) => sql`SELECT`);
    },
    end: () => client.end(1),
  };
}
