"use client";

/** Shown if even the root layout fails to render. It has no layout and no styles. */
export default function GlobalError({ error }: { error: Error }) {
  return (
    <html lang="en">
      <body>
        <title>Merkle</title>
        <h1>Something went wrong.</h1>
        <p>{error.message}</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </body>
    </html>
  );
}
