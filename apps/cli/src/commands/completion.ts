import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { readOneOf } from "../core/flag-values.js";

export const completion: Command = {
  name: "completion",
  summary: "print a shell script that completes commands, flags, sessions and peers",
  arguments: [{ name: "<bash|zsh|fish>", summary: "the shell" }],
  examples: [
    'eval "$(merkle completion bash)"',
    'eval "$(merkle completion zsh)"',
    "merkle completion fish > ~/.config/fish/completions/merkle.fish",
  ],
  offline: true,
  async run({ args: [named], output }) {
    const shell = readOneOf(named, "The shell", shells) ?? "bash";
    output.print({ shell, script: scripts[shell] }, scripts[shell]);
    return exitCodes.done;
  },
};

/** The shells for which there is a completion script. */
export const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/**
 * The completion scripts. They call `merkle __complete` for completions at the cursor, so an installed script
 * also completes the commands and flags of later versions.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# merkle completion for bash. In ~/.bashrc:  eval "$(merkle completion bash)"
_merkle() {
  local line=\${COMP_LINE:0:COMP_POINT} words word current head="" break
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=\${words[\${#words[@]}-1]}
  # Where bash ends a word, keep what is before: only the rest is replaced.
  for break in @ : =; do
    if [[ $COMP_WORDBREAKS == *"$break"* && $current == *"$break"* ]]; then
      word=\${current%"\${current##*"$break"}"}
      (( \${#word} > \${#head} )) && head=$word
    fi
  done
  COMPREPLY=()
  while IFS= read -r word; do
    word=$(printf '%q' "$word")
    COMPREPLY+=("\${word#"$head"}")
  done < <("$1" __complete -- "\${words[@]:1}" 2>/dev/null </dev/null)
}
complete -o default -F _merkle merkle
`,
  zsh: `#compdef merkle
# merkle completion for zsh. In ~/.zshrc, below compinit:  eval "$(merkle completion zsh)"
_merkle() {
  local -a found typed
  typed=("\${(@Q)words[2,CURRENT]}")
  found=(\${(f)"$("\${words[1]}" __complete -- "\${typed[@]}" 2>/dev/null </dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
if [[ "\${funcstack[1]}" == _merkle ]]; then _merkle "$@"; else compdef _merkle merkle; fi
`,
  fish: `# merkle completion for fish. Put it where fish looks:  merkle completion fish > ~/.config/fish/completions/merkle.fish
function __merkle_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -e typed[1]
    merkle __complete -- $typed "$current" 2>/dev/null </dev/null
end
complete -c merkle -f -a '(__merkle_complete)'
`,
};
