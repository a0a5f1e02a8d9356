import { expect, inject, it, onTestFinished } from "vitest";
import { startMesh } from "../../claude/kit/mesh.js";
import { startScriptedModel } from "../../claude/kit/scripted-model.js";
import { chatApi } from "../kit/chat-api.js";
import { prepareAgent } from "../kit/client-agent.js";
import { getDrivenClient } from "../kit/driven-clients.js";
import { responsesApi } from "../kit/responses-api.js";

const programs = inject("clientPrograms");
const clients = [
  { name: "codex", dialect: responsesApi, args: ["say ready"] },
  { name: "opencode", dialect: chatApi, args: ["--prompt", "say ready"] },
] as const;

it.each(clients.filter(({ name }) => programs[name] !== undefined))(
  "[WAKE-12] the first request of a $name that was launched with a prompt says who the model is and how messages come",
  async ({ name, dialect, args }) => {
    const mesh = await startMesh(onTestFinished);
    const model = await startScriptedModel(onTestFinished, { dialect });
    const client = getDrivenClient(name);
    const where = { mesh, model, team: "Birch", name: "oak", args: [...client.args, ...args] };
    const agent = await prepareAgent(client, where, onTestFinished);
    await agent.launch();
    const { conversation } = await model.waitFor("say ready");
    expect(conversation).toContain(`You are "Birch/oak" in the session "${mesh.slug}"`);
    expect(conversation).toContain("check_messages reads what is unread");
  },
);
