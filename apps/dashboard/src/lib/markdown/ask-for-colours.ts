import type { CodeLine } from "./colour-code";
import type { ColourReply, ColourRequest } from "./colour-worker";

/**
 * Has a piece of code coloured beside the page: the first piece in a language takes a third of a second, in which nothing
 * in the page would move. Null where the code stays as it is.
 */
export async function askForColours(code: string, language: string): Promise<readonly CodeLine[] | null> {
  colourer ??= startColourer();
  return colourer(code, language);
}

type Colourer = (code: string, language: string) => Promise<readonly CodeLine[] | null>;

/** One for the page, started with the first code in it: it holds the grammars, which are large. */
let colourer: Colourer | undefined;

function startColourer(): Colourer {
  const worker = new Worker(new URL("./colour-worker.ts", import.meta.url), {
    type: "module",
    name: "colours",
  });
  const asked = new Map<number, (lines: ColourReply["lines"]) => void>();
  let lastId = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<ColourReply>) => {
    asked.get(data.id)?.(data.lines);
    asked.delete(data.id);
  });
  worker.addEventListener("error", () => {
    for (const settle of asked.values()) settle(null);
    asked.clear();
  });
  return (code, language) =>
    new Promise((resolve) => {
      lastId += 1;
      asked.set(lastId, resolve);
      worker.postMessage({ id: lastId, code, language } satisfies ColourRequest);
    });
}
