import {
  isSchemaName,
  jsonSchemaOf,
  jsonSchemaText,
  SCHEMA_NAMES,
  schemaTitle,
} from '../../../../contracts/json-schemas.ts';
import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { renderTable } from '../../output/table.ts';
import { stdoutOf } from '../../output/terminal.ts';

/** Prints a JSON Schema; without a name, lists them. */
export function schema(context: VerbContext, name: string | null): ExitCode {
  if (name === null) return list(context);
  if (!isSchemaName(name)) throw unknownSchema(name);
  if (context.json) printJson(context, { ...jsonSchemaOf(name) });
  else context.terminal.out(jsonSchemaText(name));
  return EXIT.success;
}

function list(context: VerbContext): ExitCode {
  const schemas = SCHEMA_NAMES.map((name) => ({ name, title: schemaTitle(name) }));
  if (context.json) printJson(context, { schemas });
  else {
    const { write, width } = stdoutOf(context.terminal);
    write(
      renderTable(
        schemas.map(({ name, title }) => [name, title]),
        '',
        { width },
      ),
    );
  }
  return EXIT.success;
}

function unknownSchema(name: string): CliError {
  const documents = SCHEMA_NAMES.filter((each) => !each.startsWith('cli.'));
  const known = `the schemas are ${documents.join(', ')}, and cli.COMMAND for what a command prints with --json`;
  const near = didYouMean(name, SCHEMA_NAMES);
  return new CliError(`no schema "${name}"`, near === null ? known : `did you mean ${near}?`);
}
