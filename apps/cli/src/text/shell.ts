export { shellWord, toShellLine } from "@merkle/wire/text";
