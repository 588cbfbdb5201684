// Where the energy went: the accounts of a run as areas on each other, those below zero under each other.
const MOST = 6;
const STORED = /^ledger\/(kinetic$|potential\/)/;

const largest = (values) => values.reduce((most, v) => Math.max(most, Math.abs(v)), 0);

// Two stacks of columns: what is stored since the start, and what came in; the largest first, the others together as one variable.
export function ledgerPanels(run, variables) {
  return [true, false].map((stored) => {
    const found = run.columns.filter(({name}) => name.startsWith('ledger/') && STORED.test(name) === stored)
      .map(({name, values}) => ({name, values, most: largest(values)})).filter(({most}) => most > 0).sort((a, b) => b.most - a.most);
    const y = found.slice(0, MOST).map(({name}) => name), rest = found.slice(MOST);
    if (rest.length) {
      const name = `others that are ${stored ? 'stored' : 'not stored'}`;
      variables.add(name, 'J', (r) => Float64Array.from(r.time, (_, row) => rest.reduce((sum, c) => sum + (r.byName.get(c.name)?.values[row] ?? 0), 0)));
      y.push(name);
    }
    return {y, stack: true, title: stored ? 'Energy stored since the start' : 'Energy that came in'};
  }).filter(({y}) => y.length);
}

// Series as areas, `areas`: above and below zero, from one curve to another; `values` is the outer edge, where it is not nothing.
export function stacked(series) {
  const rows = series[0]?.values.length ?? 0, sums = [new Float64Array(rows), new Float64Array(rows)];
  const most = Math.max(...series.map((s) => largest(s.values)), 0);
  return series.map((s) => {
    const areas = sums.map((sum, below) => {
      const from = Float64Array.from(sum);
      for (let row = 0; row < rows; row++) sum[row] += below ? Math.min(s.values[row], 0) : Math.max(s.values[row], 0);
      return [from, Float64Array.from(sum)];
    });
    const values = Float64Array.from(s.values, (v, row) => (Math.abs(v) > 1e-4 * most ? areas[v > 0 ? 0 : 1][1][row] : NaN));
    return {...s, areas, values};
  });
}
