import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";

export const completion: Command = {
  name: "completion",
  summary: "print what makes a shell complete commands, flags, sessions and peers",
  arguments: [{ name: "<bash|zsh|fish>", summary: "the shell" }],
  examples: [
    'eval "$(merkle completion bash)"',
    'eval "$(merkle completion zsh)"',
    "merkle completion fish > ~/.config/fish/completions/merkle.fish",
  ],
  offline: true,
  async run({ args: [named], output }) {
    const { scripts, shells } = await import("../completion/scripts.js");
    const { readOneOf } = await import("../one-of.js");
    const shell = readOneOf(named, "The shell", shells) ?? "bash";
    output.print({ shell, script: scripts[shell] }, scripts[shell]);
    return exitCodes.done;
  },
};
