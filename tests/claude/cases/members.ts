import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../kit/agent.js";
import { makeMachine } from "../kit/machine.js";
import { startMesh } from "../kit/mesh.js";

it("[ENTER-2] [SEALED-1] two members' agents meet where members alone are let in, and one tells the other what nobody else can read", async () => {
  const mesh = await startMesh(onTestFinished, { auth: "invite" });
  const [ours, theirs] = [await makeMachine(onTestFinished), await makeMachine(onTestFinished)];
  await mesh.admit(ours);
  await mesh.admit(theirs);
  const birch = await startAgent({ mesh, team: "Birch", name: "atlas", machine: ours }, onTestFinished);
  const cedar = await startAgent({ mesh, team: "Cedar", name: "luna", machine: theirs }, onTestFinished);

  const open = { to: "Cedar/luna", message: "openly: the build is green" };
  await birch.prompt(`call mcp__merkle__send_message ${JSON.stringify(open)} then say told`);
  await cedar.model.waitFor("the build is green");
  const sealed = { ...open, message: "the word is xyzzy-plugh", private: true };
  await birch.prompt(`call mcp__merkle__send_message ${JSON.stringify(sealed)} then say told again`);
  await birch.rests();
  // A private message wakes an idle agent, as any other message does.
  await cedar.model.waitFor("xyzzy-plugh");

  const shown = JSON.stringify(await mesh.readHistory());
  expect(shown).toContain("the build is green");
  expect(shown).not.toContain("xyzzy");
});
