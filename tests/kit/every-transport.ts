import { beforeAll, describe } from "vitest";
import { createCleanup } from "./cleanup.js";
import { getSharedBroker, type SharedBroker } from "./test-broker.js";
import { brokerTransports, type OpenTransport, type TransportClient, transports } from "./transports.js";

/** The transport that a suite is currently running over, and its broker. */
export interface OverTransport {
  readonly transport: TransportClient;
  readonly broker: SharedBroker;
}

/**
 * Runs the same tests over REST, MCP, WebSocket and stdio, against the worker's broker. Transports only translate, so
 * the results must be the same [CAT-4].
 */
export function describeOverEveryTransport(title: string, tests: (at: OverTransport) => void): void {
  describeAt(transports, title, tests);
}

/**
 * Runs tests over the transports where the caller keeps its own credentials and cursor. Over stdio, the server keeps
 * both: it shows no credential, accepts no cursor, and finds its teams by name. `tests/stdio` covers the rules for
 * stdio.
 */
export function describeWhereTheCallerKeeps(title: string, tests: (at: OverTransport) => void): void {
  describeAt(brokerTransports, title, tests);
}

function describeAt(
  chosen: Readonly<Record<string, OpenTransport>>,
  title: string,
  tests: (at: OverTransport) => void,
): void {
  describe(title, () => {
    let broker: SharedBroker;
    beforeAll(async () => {
      broker = await getSharedBroker();
    });
    describe.each(Object.entries(chosen))("by %s", (_name, open) => {
      let transport: TransportClient;
      const cleanup = createCleanup();
      beforeAll(async () => {
        transport = await open(broker.url);
        cleanup(transport.close);
      });
      tests({
        get transport() {
          return transport;
        },
        get broker() {
          return broker;
        },
      });
    });
  });
}
