"use client";

/** The page for when even the frame of a page could not be drawn. It has nothing of the frame, its styles included. */
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
