import { expect, test } from 'vitest'
import { isApplicable, type Scenario, type ScenarioResult } from './interop-scenarios.ts'
import { type InteropRun, updateTable } from './interop-table.ts'

const scenario = (name: string): Scenario => ({
  name,
  path: '',
  about: `${name} works`,
  needs: '',
  since: '3.0.0',
  timeoutSeconds: 1,
  exclusive: false,
})
const outcome = (passed: boolean): ScenarioResult => ({ passed, seconds: 1, failure: '' })
const pass = (mode: string, outcomes: Record<string, boolean>, serverErrors = 0): InteropRun => ({
  client: '3.8.8',
  database: 'sqlite',
  mode,
  results: Object.entries(outcomes).map(([name, passed]) => [scenario(name), outcome(passed)]),
  serverErrors,
})

test('counts repeated runs in one cell', () => {
  const page = 'Before\n<!-- table -->\n\nold\n\n<!-- end of table -->\nAfter\n'
  const passes = [pass('plain', { a: true, b: true }), pass('plain', { a: true, b: false }, 2), pass('auth', { a: true })]
  expect(updateTable(page, passes)).toBe(`Before
<!-- table -->

| scenario | 3.8.8 · sqlite | 3.8.8 · sqlite · auth |
| --- | --- | --- |
| a: a works | ok ×2 | ok |
| b: b works | **1 of 2** | – |
| 5xx responses | 2 | 0 |

<!-- end of table -->
After
`)
})

test('keeps cells of scenarios that did not run, under their current description', () => {
  const page = `<!-- table -->

| scenario | 3.10.0 · sqlite | 3.8.8 · sqlite |
| --- | --- | --- |
| a: a works | ok | **0 of 1** |
| b: b did work | ok | ok |
| 5xx responses | 0 | 3 |

<!-- end of table -->`
  expect(updateTable(page, [pass('plain', { b: false }, 1)])).toBe(`<!-- table -->

| scenario | 3.8.8 · sqlite | 3.10.0 · sqlite |
| --- | --- | --- |
| a: a works | **0 of 1** | ok |
| b: b works | **0 of 1** | ok |
| 5xx responses | 4 | 0 |

<!-- end of table -->`)
  expect(updateTable(page, [pass('plain', { a: true, b: true })])).toContain('| 5xx responses | 0 | 0 |')
})

test('throws for a page without a table', () => {
  expect(() => updateTable('nothing here', [])).toThrow('<!-- table -->')
})

test('skips scenarios that need a newer client or another server mode', () => {
  expect(isApplicable({ ...scenario('a'), since: '3.4.25' }, '3.10.0', 'plain')).toBe(true)
  expect(isApplicable({ ...scenario('a'), since: '3.4.25' }, '3.4.3', 'plain')).toBe(false)
  expect(isApplicable({ ...scenario('a'), needs: 'auth' }, '3.9.0', 'plain')).toBe(false)
})
