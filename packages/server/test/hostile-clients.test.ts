import { afterEach, describe, expect, test } from 'vitest'
import { attackedPassword, measureUnderAttack } from './attacks/measure-attacks.ts'
import { migratedPostgres, migratedSqlite } from './databases.ts'
import { proofSize, reportFigures } from './proof-size.ts'
import { startServerProcess } from './server-process.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

describe.each(['sqlite', 'postgres'] as const)('a server under attack on %s', (database) => {
  test('answers health calls and does not fill the memory', { timeout: 300_000 }, async () => {
    const { url, drop } = await (database === 'sqlite' ? migratedSqlite() : migratedPostgres())
    cleanups.push(drop)
    const server = await startServerProcess(url, [], { MILLRACE_SERVER_API_AUTH_STRING: attackedPassword, MILLRACE_SERVER_LOG_LEVEL: 'fatal' })
    cleanups.push(() => server.kill('SIGKILL'))
    const { healthMs, failedHealthCalls, peakMemoryMb, rounds } = await measureUnderAttack(server, { seconds: proofSize(3, 60) })
    const sorted = healthMs.toSorted((a, b) => a - b)
    const p99 = sorted[Math.floor(sorted.length * 0.99)] as number
    const worst = sorted.at(-1) as number
    reportFigures(`${database}: health p99 ${p99.toFixed(0)} ms, worst ${worst.toFixed(0)} ms, memory ${peakMemoryMb.toFixed(0)} MB`)
    expect(failedHealthCalls).toBe(0)
    for (const [attack, count] of rounds) expect([attack, count]).toEqual([attack, expect.toSatisfy((made: number) => made > 0)])
    // On a machine that others use, the daily limits only find what stops a server or fills its memory.
    expect(p99).toBeLessThan(proofSize(2000, 100))
    expect(worst).toBeLessThan(proofSize(5000, 500))
    expect(peakMemoryMb).toBeLessThan(proofSize(700, 400))
  })
})
