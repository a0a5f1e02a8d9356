/* placeholder: replace freely */
export function renderAgentsPage(_: { mcpUrl: string; baseUrl: string; idlePolls: number }): string {
  return "";
}
