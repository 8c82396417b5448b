import { quoteWord } from '../../text/shell-words.ts';

const COMMAND =
  /\bconductor (approve|cancel|clean|diff|doctor|gates|goldens|init|logs|reject|replay|resume|run|runs|show|status|undo|verify|work [a-z]+|worktree)((?: [0-9a-f][0-9a-f-]{5,35})?)(?![\w-])/g;

/** Commands to copy, in the words of a person who named the repository: they work from the same folder. */
export function withRepo(text: string, repo: string | null): string {
  return repo === null ? text : text.replace(COMMAND, (command) => `${command} --repo ${quoteWord(repo)}`);
}
