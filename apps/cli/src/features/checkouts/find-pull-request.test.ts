import { expect, it } from "vitest";
import { findPullRequest, isOfRepository } from "./find-pull-request.js";

it("[CHECKOUT-3] a pull request is recognised on the usual hosts, at any place of a call, and without what follows its number", () => {
  for (const address of [
    "https://github.com/acme/app/pull/7",
    "https://gitlab.example/acme/web/app/-/merge_requests/12",
    "https://codeberg.org/acme/app/pulls/3",
    "https://bitbucket.org/acme/app/pull-requests/4",
    "https://dev.azure.com/acme/web/_git/app/pullrequest/9",
  ]) {
    expect(findPullRequest({ content: { text: `Done, see ${address}/files?w=1#x.` } })).toBe(address);
    expect(findPullRequest([`[first](https://github.com/acme/app/pull/1)`, `(${address})`])).toBe(address);
  }
  for (const text of ["http://github.com/acme/app/pull/7", "https://github.com/acme/app/issues/7", 7, null])
    expect(findPullRequest(text)).toBeNull();
});

it("[CHECKOUT-3] only a pull request of the agent's own repository is reported", () => {
  expect(isOfRepository("https://github.com/Acme/app/pull/7", "github.com/acme/app")).toBe(true);
  expect(isOfRepository("https://github.com/acme/app-two/pull/7", "github.com/acme/app")).toBe(false);
});
