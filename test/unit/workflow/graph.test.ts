import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RouteKey } from '../../../src/contracts/vocabulary.ts';
import type { Plan, PlanStep } from '../../../src/kernel/plan.ts';
import { buildFlowGraph, type FlowGraph } from '../../../src/workflow/graph/flow-graph.ts';
import { renderDot } from '../../../src/workflow/graph/render-dot.ts';
import { renderMermaid } from '../../../src/workflow/graph/render-mermaid.ts';
import { renderSvg } from '../../../src/workflow/graph/render-svg.ts';
import { layoutGraph } from '../../../src/workflow/graph/svg-layout.ts';
import { agent, evaluate, gate, planOf, rollback, stop, validation } from '../../../testing/plans.ts';
import { validWorkflow } from '../../../testing/workflow-arbitrary.ts';
import { numberOfRuns } from '../number-of-runs.ts';
import { check } from './check.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const RENDERERS = { mmd: renderMermaid, dot: renderDot, svg: renderSvg };

function planOfText(text: string): Plan {
  const { plan, diagnostics } = check(text);
  if (plan === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return plan;
}

/** `from -key,key-> to`, with `=>` where an edge closes a loop. */
function edgesOf(graph: FlowGraph): string[] {
  return graph.edges.map(({ from, to, keys, back }) => {
    const arrow = back ? '=>' : '->';
    return `${graph.nodes[from]?.id} ${keys.join(',')} ${arrow} ${graph.nodes[to]?.id}`;
  });
}

function drawn(...steps: [PlanStep, ...PlanStep[]]): string[] {
  return edgesOf(buildFlowGraph(planOf(steps)));
}

describe('pictures of workflows', () => {
  const files = [
    ['pattern-a', 'test/fixtures/workflows/pattern-a.yaml'],
    ['implement', 'workflows/implement.yaml'],
  ] as const;
  const cases = files.flatMap(([name, path]) =>
    (['mmd', 'dot', 'svg'] as const).map((ending) => ({ name, path, ending })),
  );

  it.each(cases)('of $name as $ending are as the golden file', async ({ name, path, ending }) => {
    const graph = buildFlowGraph(planOfText(readFileSync(join(ROOT, path), 'utf8')));
    const golden = join(ROOT, 'test', 'golden', 'graph', `${name}.${ending}`);
    await expect(RENDERERS[ending](graph)).toMatchFileSnapshot(golden);
  });
});

describe('the graph of a workflow', () => {
  it('merges the keys that lead to one target, and distinguishes ends by the state of the run', () => {
    expect(drawn(agent('work', { routes: { completed: 'judge' } }), evaluate('judge'))).toEqual([
      'work completed -> judge',
      'work error,killed_idle,killed_timeout,killed_policy -> STOP failed',
      'judge success -> STOP completed',
      'judge partial,blocked,needs_human -> STOP blocked',
      'judge unsafe -> STOP failed',
    ]);
  });

  it('marks what leads back, to an earlier step or to the step itself', () => {
    const edges = drawn(
      agent('work', { routes: { completed: 'check', error: 'work' } }),
      validation('check', { routes: { error: 'work' } }),
    );
    expect(edges.filter((edge) => edge.includes('=>'))).toEqual([
      'work error,killed_idle,killed_timeout,killed_policy => work',
      'check error,killed_idle,killed_timeout,killed_policy => work',
    ]);
  });

  it('shows no route that a gate does not have', () => {
    expect(drawn(gate('ask'))).toEqual([
      'ask gate_approved -> STOP completed',
      'ask gate_rejected -> STOP blocked',
    ]);
  });

  it('ends behind a rollback as what led into it', () => {
    const edges = drawn(
      evaluate('judge', { routes: { unsafe: 'undo', partial: 'undo' } }),
      rollback('undo', { routes: { completed: 'again' } }),
      rollback('again'),
    );
    expect(edges.filter((edge) => edge.startsWith('again'))).toEqual([
      'again completed -> STOP blocked',
      'again completed,error,killed_idle,killed_timeout,killed_policy -> STOP failed',
    ]);
  });

  it('shows an end behind a rollback that nothing leads to', () => {
    const edges = drawn(agent('work'), rollback('undo'));
    expect(edges.filter((edge) => edge.startsWith('undo completed'))).toEqual([
      'undo completed -> STOP completed',
    ]);
  });

  it('says of a STOP step every state in which it can leave a run', () => {
    const { nodes } = buildFlowGraph(
      planOf([agent('work', { routes: { completed: 'end', error: 'end' } }), stop('end', 'that was it')]),
    );
    expect(nodes[1]).toEqual({
      id: 'end',
      opcode: 'STOP',
      detail: 'that was it',
      lifecycles: ['completed', 'failed'],
      entry: false,
    });
  });

  it('has every route of every plan on an edge from its step', () => {
    fc.assert(
      fc.property(validWorkflow(), (document) => {
        const plan = planOfText(JSON.stringify(document));
        const graph = buildFlowGraph(plan);
        for (const [at, step] of plan.steps.entries()) {
          const shown = new Set(
            graph.edges.filter((edge) => edge.from === at).flatMap((edge) => [...edge.keys]),
          );
          const routes = step.opcode === 'STOP' ? [] : Object.entries(step.routes);
          const taken = routes.filter(([, target]) => target !== null).map(([key]) => key as RouteKey);
          expect(shown).toEqual(new Set(taken));
        }
      }),
      { numRuns: numberOfRuns(30) },
    );
  });
});

describe('what authors write', () => {
  const hostile = 'a "b" <c> & \\d` #35; ]]> {e}\u0001\ud800';
  const graph = buildFlowGraph(
    planOf([gate('end', { gate: hostile }), stop('graph', hostile)], { description: hostile }),
  );

  it('is text in an SVG, without characters that XML forbids', () => {
    const svg = renderSvg(graph);
    expect(svg).toContain('GATE · a &quot;b&quot; &lt;c&gt; &amp; \\d` #35; ]]&gt; {e}<');
    expect(svg).toContain('{e}\ufffd\ufffd</desc>');
    expect(svg).not.toMatch(/<c>|& |\p{Cs}/u);
  });

  it('is text in mermaid, and its ids are not mistaken for keywords', () => {
    const text = renderMermaid(graph);
    expect(text).toContain(
      '"<b>end</b><br/>GATE · a #34;b#34; #60;c#62; #38; #92;d#96; #35;35#59; #93;#93;#62;',
    );
    expect(text).not.toMatch(/^ *(?:end|graph)\b/m);
  });

  it('is text in dot', () => {
    expect(renderDot(graph)).toContain('label="end\\nGATE · a \\"b\\" <c> & \\\\d` #35; ]]> {e}"');
  });

  it('is cut where it would not fit', () => {
    const long = planOf([gate('ask', { gate: '語'.repeat(200) })]);
    expect(renderDot(buildFlowGraph(long))).toContain(`GATE · ${'語'.repeat(32)}…"`);
  });
});

describe('the layout of an svg', () => {
  interface Area {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  }
  const apart = (a: Area, b: Area) =>
    a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

  function areasOf(graph: FlowGraph) {
    const layout = layoutGraph(graph);
    const boxes = layout.boxes.map(
      ({ x, y, width, height }): Area => ({
        left: x - width / 2,
        right: x + width / 2,
        top: y - height / 2,
        bottom: y + height / 2,
      }),
    );
    const labels = layout.labels.map(({ lines, x, y, bottom }): Area => {
      const half = Math.max(...lines.map((key) => key.length)) * 3;
      return { left: x - half, right: x + half, top: y, bottom: bottom.y };
    });
    return { layout, areas: [...boxes, ...labels], boxes };
  }

  it('keeps nodes and labels apart and inside the picture, and leads down but for loops', () => {
    fc.assert(
      fc.property(validWorkflow(), (document) => {
        const graph = buildFlowGraph(planOfText(JSON.stringify(document)));
        const { layout, areas, boxes } = areasOf(graph);
        for (const [at, area] of areas.entries()) {
          expect(area.left).toBeGreaterThanOrEqual(0);
          expect(area.right).toBeLessThanOrEqual(layout.width);
          expect(area.bottom).toBeLessThanOrEqual(layout.height);
          expect(areas.slice(at + 1).filter((other) => !apart(area, other))).toEqual([]);
        }
        for (const { from, to, back } of graph.edges)
          expect((boxes[from]?.bottom ?? 0) < (boxes[to]?.top ?? 0)).toBe(!back);
        expect(layout.loops.length).toBe(graph.edges.filter((edge) => edge.back).length);
      }),
      { numRuns: numberOfRuns(30) },
    );
  });

  it('draws a chain of thousands of steps', () => {
    const steps = Array.from({ length: 3000 }, (_, at) =>
      agent(`s${at}`, { routes: { completed: `s${at + 1}` } }),
    );
    const [first = agent('s0'), ...rest] = steps;
    const svg = renderSvg(buildFlowGraph(planOf([first, ...rest, stop('s3000')])));
    expect(svg).toContain('>s2999<');
    expect(svg.endsWith('</svg>\n')).toBe(true);
  });
});
