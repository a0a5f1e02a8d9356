import { beforeAll, describe } from "vitest";
import { atEnd } from "./at-end.js";
import { brokerDoors, type Door, doors, type OpenDoor } from "./doors.js";
import { startTestBroker, type TestBroker } from "./test-broker.js";

/** Where a suite that runs at every door is at the moment. */
export interface AtDoor {
  readonly door: Door;
  readonly broker: TestBroker;
}

/** Runs the same tests at REST, MCP, WebSocket and stdio, against one broker: transports only translate, [CAT-4]. */
export function describeAtEveryDoor(title: string, tests: (at: AtDoor) => void): void {
  describeAt(doors, title, tests);
}

/**
 * The same for what only a caller can do that keeps its own credentials and cursor. Over stdio the server keeps them: it
 * shows no credential, takes no cursor, and knows its teams again by their names; `tests/stdio` has its own rules.
 */
export function describeWhereTheCallerKeeps(title: string, tests: (at: AtDoor) => void): void {
  describeAt(brokerDoors, title, tests);
}

function describeAt(
  chosen: Readonly<Record<string, OpenDoor>>,
  title: string,
  tests: (at: AtDoor) => void,
): void {
  describe(title, () => {
    let broker: TestBroker;
    const cleanup = atEnd();
    beforeAll(async () => {
      broker = await startTestBroker({}, cleanup);
    });
    describe.each(Object.entries(chosen))("by %s", (_name, open) => {
      let door: Door;
      const cleanup = atEnd();
      beforeAll(async () => {
        door = await open(broker.url);
        cleanup(door.close);
      });
      tests({
        get door() {
          return door;
        },
        get broker() {
          return broker;
        },
      });
    });
  });
}
