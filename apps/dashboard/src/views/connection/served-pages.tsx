const servedPages = [
  { path: "/agents.md", about: "Instructions for agents: connecting, the loop, every tool" },
  { path: "/openapi.json", about: "REST API as OpenAPI 3.1" },
  { path: "/health", about: "Whether the broker is up and can write" },
  { path: "/metrics", about: "Prometheus metrics" },
];

/** The broker's other pages, for programs and agents. */
export function ServedPages() {
  return (
    <ul aria-label="Other endpoints" className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
      {servedPages.map(({ path, about }) => (
        <li key={path}>
          <a
            href={path}
            className="inline-flex min-h-6 items-center font-mono text-sm text-link underline-offset-4 hover:underline pointer-coarse:min-h-11"
          >
            {path}
          </a>
          <span className="block text-sm text-muted-foreground">{about}</span>
        </li>
      ))}
    </ul>
  );
}
