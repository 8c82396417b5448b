import { renderJson } from '../../../../diagnostics/render-json.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { checkWorkflow } from '../../../../workflow/check-workflow.ts';
import { buildFlowGraph, type FlowGraph } from '../../../../workflow/graph/flow-graph.ts';
import { renderDot } from '../../../../workflow/graph/render-dot.ts';
import { renderMermaid } from '../../../../workflow/graph/render-mermaid.ts';
import { renderSvg } from '../../../../workflow/graph/render-svg.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printRefusal } from '../../output/refused-document.ts';
import { readSource } from './validate.ts';

export type GraphFormat = 'mermaid' | 'dot' | 'svg';

/** Draws a workflow. Does not resolve names, so that agents and prompts may be missing. */
export async function graph(context: VerbContext, path: string, format: GraphFormat): Promise<ExitCode> {
  const { terminal } = context;
  const opened = await (await context.services()).openCheck(context.startDir);
  if (!opened.ok) throw new CliError(opened.obstacle.message, opened.obstacle.help);
  const source = { name: path, bytes: await readSource(path) };
  const checked = checkWorkflow(source, { ...opened.value.context, names: null });
  if (checked.plan === null) {
    if (context.json) terminal.out(`${formatJson(renderJson([{ path, ...checked }]))}\n`);
    else printRefusal(terminal, { name: path, ...checked });
    return EXIT.usage;
  }
  const text = render(buildFlowGraph(checked.plan), format);
  if (context.json) printJson(context, { format, graph: text });
  else terminal.out(text);
  return EXIT.success;
}

function render(flow: FlowGraph, format: GraphFormat): string {
  switch (format) {
    case 'mermaid':
      return renderMermaid(flow);
    case 'dot':
      return renderDot(flow);
    case 'svg':
      return renderSvg(flow);
  }
}
