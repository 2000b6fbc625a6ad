import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { hasPrometheus, monitoringFile, promtool, startPrometheus } from './prometheus.ts'
import { startServerProcess } from './server-process.ts'

const dashboard = (): string[] => {
  const { panels } = JSON.parse(readFileSync(monitoringFile('grafana-dashboard.json'), 'utf8')) as { panels: { targets: { expr: string }[] }[] }
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
}

const alerts = (): string[] =>
  [...readFileSync(monitoringFile('alerts.yml'), 'utf8').matchAll(/^ +expr: (.*)$/gm)].map(([, expression = '']) => expression)

test('the dashboard and the alerts use documented metrics only', () => {
  const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
  const documented = new Set([...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name))
  const used = [...dashboard(), ...alerts()].flatMap((expression) => expression.match(/\b(?:millrace|process|nodejs)_\w+/g) ?? [])
  expect(used.length).toBeGreaterThan(30)
  expect(used.map((name) => name.replace(/_bucket$/, '')).filter((name) => !documented.has(name))).toEqual([])
})

test.skipIf(!hasPrometheus)('a Prometheus server scrapes, and evaluates the dashboard and the alerts', { timeout: 60_000 }, async () => {
  const server = await startServerProcess('sqlite::memory:')
  onTestFinished(() => void server.child.kill('SIGKILL'))
  const flow = await server.post('/flows/', { name: 'etl' })
  const run = await server.post('/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' } })
  for (const type of ['RUNNING', 'COMPLETED']) await server.post(`/flow_runs/${run.id}/set_state`, { state: { type } })

  const text = await fetch(`${server.url}/metrics`).then((response) => response.text())
  expect(execFileSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe('')
  expect(execFileSync(promtool, ['check', 'rules', fileURLToPath(monitoringFile('alerts.yml'))], { encoding: 'utf8' })).toContain('SUCCESS')
  expect(execFileSync(promtool, ['check', 'config', fileURLToPath(monitoringFile('prometheus.yml'))], { encoding: 'utf8' })).toContain('SUCCESS')

  const prometheus = await startPrometheus(server.url)
  onTestFinished(() => prometheus.stop())
  await expect.poll(() => prometheus.query('up{job="millrace"}').then(([sample]) => sample?.value), { timeout: 20_000 }).toBe(1)
  const completed = await prometheus.query('millrace_state_transitions_total{kind="flow-run",state_type="COMPLETED"}')
  expect(completed.map(({ value }) => value)).toEqual([1])
  for (const expression of [...dashboard(), ...alerts()]) await prometheus.query(expression)
})
