import { afterAll, beforeAll, describe } from "vitest";
import { type Door, doors } from "./doors.js";
import { startTestBroker, type TestBroker } from "./test-broker.js";

/** Where a suite that runs at every door is at the moment. */
export interface AtDoor {
  readonly door: Door;
  readonly broker: TestBroker;
}

/** Runs the same tests at REST, MCP and WebSocket, against one broker: doors only translate (CAT-4). */
export function describeAtEveryDoor(title: string, tests: (at: AtDoor) => void): void {
  describe.each(Object.entries(doors))(`${title}, by %s`, (_name, open) => {
    let door: Door;
    let broker: TestBroker;
    beforeAll(async () => {
      broker = await startTestBroker({}, afterAll);
      door = await open(broker.url);
      afterAll(() => door.close());
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
}
