import type { ConnectionTarget } from "./connection.js";
import { renewClient } from "./renewed-client.js";

/** A connection of its own that listens to a channel, and notifies others. */
export interface Notifications {
  /** Begins to listen, also after the connection was lost. */
  listen(): Promise<void>;
  /** Notifies in order, in one transaction of its own. */
  notify(payloads: readonly string[]): Promise<void>;
  /** Asks the server whether the connection still stands; when it does not, that is told as a loss. */
  check(): Promise<void>;
  /** Closes it; of what was begun the end is not waited for. */
  end(): Promise<void>;
}

/** @param onLost - told when the connection was lost, and with it whatever was notified until `listen` has been called again */
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
