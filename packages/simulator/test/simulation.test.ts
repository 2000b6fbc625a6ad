import { expect, test } from 'vitest'
import { proofSize, reportFigures } from '../../server/test/proof-size.ts'
import { keptSeeds } from './kept-seeds.ts'
import { runSim } from './run-sim.ts'

const hashOf = (line: string): string => /hash ([0-9a-f]{16})$/.exec(line)?.[1] ?? `no hash in: ${line}`

test('replays a seed exactly, alone and after another one', async () => {
  const [first, second, other, both] = await Promise.all([
    runSim('--seed', '12'),
    runSim('--seed', '12'),
    runSim('--seed', '11'),
    runSim('--seeds', '11..12'),
  ])
  expect(second.lastLine).toBe(first.lastLine)
  expect(first.lastLine).toMatch(/^1 seeds, 0 failing, \d+ steps, \d+ virtual seconds, hash [0-9a-f]{16}$/)
  expect(hashOf(other.lastLine)).not.toBe(hashOf(first.lastLine))
  const combined = BigInt(`0x${hashOf(first.lastLine)}`) ^ BigInt(`0x${hashOf(other.lastLine)}`)
  expect(hashOf(both.lastLine)).toBe(combined.toString(16).padStart(16, '0'))
}, 120_000)

test('replays a seed whose requests go through Fastify', async () => {
  const [first, second] = await Promise.all([runSim('--seed', '3', '--complete', '3'), runSim('--seed', '3', '--complete', '3')])
  expect(first.code, first.text).toBe(0)
  expect(second.lastLine).toBe(first.lastLine)
}, 120_000)

test('finds no violation in 1,000 short seeds', async () => {
  const outputs = await Promise.all([runSim('--seeds', '1..500'), runSim('--seeds', '501..1000')])
  for (const { code, text, lastLine } of outputs) {
    reportFigures(lastLine)
    expect(code, text).toBe(0)
  }
}, 600_000)

test.runIf(proofSize(0, 1))(
  'finds no violation in long seeds',
  async () => {
    const { code, text, lastLine } = await runSim('--long', '--seeds', '1..100')
    reportFigures(lastLine)
    expect(code, text).toBe(0)
  },
  900_000,
)

test.for(keptSeeds)('passes $args, which once showed: $problem', { timeout: 120_000 }, async ({ args }) => {
  const { code, text } = await runSim(...args)
  expect(code, text).toBe(0)
})

test('reports the invariant, the step and the command that replays a failing seed', async () => {
  const { code, text, lastLine } = await runSim('--mutation', 'action-not-claimed', '--seeds', '1..20', '--first')
  expect(code).toBe(1)
  expect(text).toMatch(/^seed \d+, step \d+: automations fire once per cause: /)
  expect(text).toMatch(/replay: npm run sim -- --seed \d+ --mutation action-not-claimed --verbose/)
  expect(lastLine).toMatch(/^\d+ seeds, 1 failing, /)
}, 120_000)

test('rejects invalid options', async () => {
  expect(await runSim('--seeds', '5..1')).toMatchObject({ code: 2, text: 'Invalid seeds 5..1. Give a number or a range such as 1..1000.\n' })
  expect((await runSim('--mutation', 'x')).text).toMatch(/^No mutation x\. There are: machine-clock, /)
})
