import { expect, it } from "vitest";
import { startNodes, type TestNode } from "./start-nodes.js";

it("[DEMO-6] the nodes of a broker have one demo room, whichever is asked for it", async () => {
  const { nodes } = await startNodes(2, { options: { demoPace: 1_000 } });
  const [a, b] = nodes as [TestNode, TestNode];
  const [room, ...others] = await Promise.all(
    [a, b, a, b].map(({ client }) => client.call("open_demo_room", {})),
  );
  expect(others).toEqual([room, room, room]);
});
