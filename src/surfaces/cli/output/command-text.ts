import { quoteWord } from '../../../text/shell-words.ts';

const COMMAND =
  /\bconductor (approve|cancel|clean|diff|doctor|gates|goldens|init|logs|reject|replay|resume|run|runs|show|status|undo|verify|work [a-z]+|worktree)((?: [0-9a-f][0-9a-f-]{5,35})?)(?![\w-])/g;

/** Adds the user's `--repo` to the conductor commands in a text, so that they work when copied. */
export function withRepo(text: string, repo: string | null): string {
  return repo === null ? text : text.replace(COMMAND, (command) => `${command} --repo ${quoteWord(repo)}`);
}
