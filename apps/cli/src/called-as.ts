/** How the user's shell calls this program: in a clone, and for who runs the package by npx, `merkle` alone is no command. */
export function calledAs(env: NodeJS.ProcessEnv = process.env): "merkle" | "npx merkle" {
  return env["npm_command"] === undefined ? "merkle" : "npx merkle";
}
