/** The paths of pull and merge requests on GitHub, GitLab, Gitea, Bitbucket and Azure DevOps. */
const requestPath = /\/(?:pull|pulls|-\/merge_requests|pull-requests|pullrequest)\/\d+/;
const addressPattern = /https:\/\/[^\s<>"'`)\]}]+/g;
const addressCharsMax = 300;

/**
 * Returns the last address of a pull or merge request in texts. Null if there is none.
 *
 * @param value - a text, or a list or object that contains texts at any depth
 */
export function findPullRequest(value: unknown): string | null {
  if (typeof value === "string") {
    const found = (value.match(addressPattern) ?? []).flatMap((address) => {
      const path = requestPath.exec(address);
      return path ? [address.slice(0, path.index + path[0].length)] : [];
    });
    return found.findLast((address) => address.length <= addressCharsMax) ?? null;
  }
  if (typeof value !== "object" || value === null) return null;
  return Object.values(value).reduce<string | null>((last, each) => findPullRequest(each) ?? last, null);
}

/** Returns whether a pull request belongs to a repository, which is named by host and path. */
export function isOfRepository(pullRequest: string, repository: string): boolean {
  return pullRequest.toLowerCase().startsWith(`https://${repository.toLowerCase()}/`);
}
