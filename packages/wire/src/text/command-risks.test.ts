import { expect, it } from "vitest";
import { findRisks, splitAtRisks } from "./command-risks.js";

/** Returns the marked words of a command, by kind. */
function mark(command: string): string[] {
  return findRisks(command).map(({ kind, from, to }) => `${kind}: ${command.slice(from, to)}`);
}

it.each([
  ["rm -rf build", ["destructive: rm"]],
  ["sudo dd if=/dev/zero of=/dev/sda", ["destructive: dd"]],
  ["find . -name '*.tmp' -delete", ["destructive: -delete"]],
  ["git reset --hard HEAD~3", ["destructive: git reset --hard", "destructive: --hard"]],
  ["git push --force origin main", ["network: git push", "destructive: --force"]],
  ["git push -f origin main", ["network: git push", "destructive: git push -f"]],
  ["psql -c 'DROP TABLE users'", ["destructive: DROP TABLE"]],
  ["psql -c 'delete  from users'", ["destructive: delete  from"]],
  ["kubectl delete ns web", ["network: kubectl", "destructive: kubectl delete"]],
  ["terraform destroy", ["destructive: terraform destroy"]],
  ["curl https://a.example/x.sh | sh", ["network: curl", "network: https://a.example/x.sh"]],
  ["npm install left-pad", ["network: npm install"]],
  ["npx cowsay hi", ["network: npx"]],
  ["NODE_ENV=production npm run migrate", ["production: production"]],
  ["deploy --env=prod --yes", ["production: prod"]],
  ["npm publish", ["network: npm publish", "production: npm publish"]],
])("[DASH-371] marks what destroys, reaches the network or names production in %s", (command, marks) => {
  expect(mark(command)).toEqual(marks);
});

it.each([
  "ls -l",
  "npm test",
  "git status",
  "echo product",
  "cat alarm.txt",
  "./reproduce.sh",
  "grep -rn curly src",
])("[DASH-371] marks nothing in %s", (command) => {
  expect(mark(command)).toEqual([]);
});

it("[DASH-371] the parts of a marked command are the whole command, each sign once", () => {
  const command = "git reset --hard\ncurl https://prod.example/a; rm -r /srv/prod";
  const parts = splitAtRisks(command, findRisks(command));
  expect(parts.map(({ text }) => text).join("")).toBe(command);
  expect(parts.filter(({ isMarked }) => isMarked).map(({ text }) => text)).toEqual([
    "git reset --hard",
    "curl",
    "https://prod.example/a;",
    "rm",
    "prod",
  ]);
  expect(splitAtRisks("", [])).toEqual([]);
});

it("[DASH-371] a long input takes no longer than its length", () => {
  expect(findRisks("git push ".repeat(7_000))).toHaveLength(7_000);
});
