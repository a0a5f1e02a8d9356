import { useEffect, useState } from "react";
import { type Refusal, toRefusal } from "@/broker/refusal";
import { type FilePlace, fetchFile } from "./file-requests";

/** A file's content while a component shows it. */
export interface LoadedFile<Content> {
  readonly content: Content | null;
  readonly refusal: Refusal | null;
}

/** Returns the address of an image that was fetched with the page's credentials, which an `img` would not send. */
export function useImageAddress(place: FilePlace): LoadedFile<string> {
  return useContent(place, async (blob, signal) => {
    const address = URL.createObjectURL(blob);
    signal.addEventListener("abort", () => URL.revokeObjectURL(address));
    return address;
  });
}

const shownCharsMax = 200_000;

/** Returns the beginning of a text file, and whether there is more. */
export function useTextStart(
  place: FilePlace,
): LoadedFile<{ readonly text: string; readonly isCut: boolean }> {
  return useContent(place, async (blob) => {
    const text = await blob.slice(0, shownCharsMax).text();
    return { text, isCut: blob.size > shownCharsMax };
  });
}

function useContent<Content>(
  { sessionId, sequence, file }: FilePlace,
  read: (blob: Blob, signal: AbortSignal) => Promise<Content>,
): LoadedFile<Content> {
  const [loaded, setLoaded] = useState<LoadedFile<Content>>({ content: null, refusal: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the digest stands for the file, and `read` has no state.
  useEffect(() => {
    const { signal, abort } = createAbort();
    fetchFile({ sessionId, sequence, file }, signal)
      .then((blob) => read(blob, signal))
      .then(
        (content) => !signal.aborted && setLoaded({ content, refusal: null }),
        (error: unknown) => !signal.aborted && setLoaded({ content: null, refusal: toRefusal(error) }),
      );
    return () => {
      abort();
      setLoaded({ content: null, refusal: null });
    };
  }, [sessionId, sequence, file.digest]);
  return loaded;
}

function createAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
