export { toShellLine, toShellWord } from "@merkle/wire/text";
